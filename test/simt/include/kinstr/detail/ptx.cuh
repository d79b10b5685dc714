// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In place of the header of this name: the same functions, executed by the
// lanes of the SIMT machine.
#ifndef KINSTR_DETAIL_PTX_CUH
#define KINSTR_DETAIL_PTX_CUH

#include "Cuda.h"

#define KINSTR_DEVICE __device__ __forceinline__

namespace kinstr::ptx {

KINSTR_DEVICE unsigned long long clock() { return simt::clock64(); }
KINSTR_DEVICE uint32_t clock_low() {
  return static_cast<uint32_t>(simt::clock64());
}
KINSTR_DEVICE void clock_low_of(uint32_t Lane, uint32_t Which, uint32_t &V) {
  V = Lane == Which ? clock_low() : V;
}
KINSTR_DEVICE unsigned long long globaltimer() { return simt::globalTimer(); }
KINSTR_DEVICE uint32_t smid() { return simt::smId(); }
KINSTR_DEVICE uint32_t warpid() { return simt::warpId(); }
KINSTR_DEVICE uint32_t laneid() { return simt::laneId(); }
KINSTR_DEVICE unsigned long long gridid() { return simt::gridId(); }
KINSTR_DEVICE uint32_t dynamic_shared_bytes() { return simt::dynamicShared(); }
KINSTR_DEVICE uint32_t cluster_dim() { return simt::clusterDim(); }

/// Of a whole array: its size is needed, and each block has its own.
template <typename T, size_t N>
KINSTR_DEVICE uint32_t shared_address(const T (&Array)[N]) {
  return simt::sharedAddress(Array, sizeof(Array));
}

KINSTR_DEVICE void store_shared(uint32_t Address, uint32_t V) {
  simt::storeShared(Address, V);
}
KINSTR_DEVICE void store_shared(uint32_t Address, uint32_t V0, uint32_t V1) {
  simt::storeShared(Address, V0, V1);
}
KINSTR_DEVICE uint32_t load_shared(uint32_t Address) {
  return simt::loadShared(Address);
}
KINSTR_DEVICE uint32_t add_shared(uint32_t Address, uint32_t V) {
  return simt::addShared(Address, V);
}
KINSTR_DEVICE uint32_t exchange_shared(uint32_t Address, uint32_t V) {
  return simt::exchangeShared(Address, V);
}
KINSTR_DEVICE void store_global(uint32_t *P, uint32_t V) {
  simt::storeGlobal(P, V);
}
KINSTR_DEVICE void store_global(uint32_t *P, uint32_t V0, uint32_t V1) {
  simt::storeGlobal(P, V0, V1);
}
KINSTR_DEVICE unsigned long long add_global(unsigned long long *P,
                                            unsigned long long V) {
  return atomicAdd(P, V);
}
KINSTR_DEVICE void store_event_before(uint32_t *End, uint32_t Left,
                                      uint32_t Site, bool Stores) {
  const unsigned long long C = clock();
  if (Stores)
    store_global(End - Left * 2, static_cast<uint32_t>(C),
                 static_cast<uint32_t>(C >> 32 << 16) + Site);
}
KINSTR_DEVICE void store_shared_if(bool Stores, uint32_t Address, uint32_t V) {
  if (Stores)
    store_shared(Address, V);
}
KINSTR_DEVICE void store_event_shared_if(bool Stores, uint32_t Address,
                                         unsigned long long Clock,
                                         uint32_t Site) {
  if (Stores)
    store_shared(Address, static_cast<uint32_t>(Clock),
                 static_cast<uint32_t>(Clock >> 32 << 16) + Site);
}
KINSTR_DEVICE void add_global_if(bool Adds, unsigned long long *P,
                                 unsigned long long V,
                                 unsigned long long &Old) {
  if (Adds)
    Old = add_global(P, V);
}
struct index3 {
  uint32_t x, y, z;
};
KINSTR_DEVICE index3 block_index() {
  return {blockIdx.x, blockIdx.y, blockIdx.z};
}
KINSTR_DEVICE void load_global(const void *P, uint32_t &V0, uint32_t &V1,
                               uint32_t &V2, uint32_t &V3) {
  simt::loadGlobal(P, V0, V1, V2, V3);
}
KINSTR_DEVICE void store_global(void *P, uint32_t V0, uint32_t V1, uint32_t V2,
                                uint32_t V3) {
  simt::storeGlobal(P, V0, V1, V2, V3);
}
KINSTR_DEVICE void drain_loads() { simt::work(); }

} // namespace kinstr::ptx

#endif // KINSTR_DETAIL_PTX_CUH
