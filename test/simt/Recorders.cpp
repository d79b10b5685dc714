// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device headers, compiled for lanes of the SIMT machine. What is in front
// of the recorders is what kinstr writes into a kernel.
#include "Recorders.h"
#include "Cuda.h"
#include <kinstr/trace.cuh>
#include <utility>

namespace simt {
namespace {

template <uint32_t Site, bool Numbers, typename Recorder>
void markSite(void *R, Drain Wait, const uint32_t *Number) {
  auto &kinstr_recorder = *static_cast<Recorder *>(R);
  if constexpr (Numbers)
    if (Number) {
      KINSTR_VALUE(Site, *Number)
      return;
    }
  // As KINSTR_MARK_DRAIN and KINSTR_MARK_DRAIN_STORES do.
  if (Wait == Drain::Loads)
    kinstr::kinstr_drain_loads();
  else if (Wait == Drain::Stores)
    kinstr::kinstr_drain_stores();
  KINSTR_MARK(Site)
}

template <uint32_t First, bool Numbers, typename Recorder, uint32_t... I>
void doBody(Recorder &R, DoBody Do, std::integer_sequence<uint32_t, I...>) {
  static constexpr MarkSite Marks[] = {
      &markSite<First + I, Numbers, Recorder>...};
  Do(&R, Marks);
}

template <uint32_t N> using Numbers = std::make_integer_sequence<uint32_t, N>;

#define KINSTR_SIMT_KERNEL(BUFFER, LAYOUT, FLOW)                               \
  template <uint32_t Id, uint32_t Sites, uint32_t Threads>                     \
  void BUFFER##_##LAYOUT##_##FLOW(DoBody Do) {                                 \
    KINSTR_KERNEL(Id, BUFFER, LAYOUT, FLOW, Sites, Threads)                    \
    doBody<0, Layout::LAYOUT == Layout::stream>(kinstr_recorder, Do,           \
                                                Numbers<Sites>());             \
  }
KINSTR_SIMT_KERNELS(KINSTR_SIMT_KERNEL)

#define KINSTR_SIMT_CALLEE(FLOW, NESTING)                                      \
  template <uint32_t First, uint32_t Sites>                                    \
  void callee_##FLOW##_##NESTING(DoBody Do) {                                  \
    KINSTR_FUNCTION(FLOW, NESTING, First, Sites)                               \
    doBody<First, true>(kinstr_recorder, Do, Numbers<Sites>());                \
  }
KINSTR_SIMT_CALLEES(KINSTR_SIMT_CALLEE)

enum KernelIds : uint32_t {
#define KINSTR_SIMT_ID(BUFFER, LAYOUT, FLOW)                                   \
  BUFFER##_##LAYOUT##_##FLOW##_id,                                             \
      BUFFER##_##LAYOUT##_##FLOW##_last = BUFFER##_##LAYOUT##_##FLOW##_id + 3,
  KINSTR_SIMT_KERNELS(KINSTR_SIMT_ID)
};

constexpr uint32_t CalleeSites = 3;
enum CalleeFirstSites : uint32_t {
#define KINSTR_SIMT_FIRST(FLOW, NESTING)                                       \
  FLOW##_##NESTING##_first,                                                    \
      FLOW##_##NESTING##_last =                                                \
          FLOW##_##NESTING##_first + CalleeSites +                             \
          uint32_t(Nesting::NESTING == Nesting::recursive),
  KINSTR_SIMT_CALLEES(KINSTR_SIMT_FIRST)
};

} // namespace

const std::vector<KernelType> &kernelTypes() {
#define KINSTR_SIMT_TYPE(BUFFER, LAYOUT, FLOW, N, SITES, THREADS)              \
  {#BUFFER,                                                                    \
   Layout::LAYOUT,                                                             \
   Flow::FLOW,                                                                 \
   BUFFER##_##LAYOUT##_##FLOW##_id + (N),                                      \
   SITES,                                                                      \
   (THREADS) == 0 ? 1024 : (THREADS),                                          \
   &BUFFER##_##LAYOUT##_##FLOW<BUFFER##_##LAYOUT##_##FLOW##_id + (N), SITES,   \
                               THREADS>},
// The most sites that slots can have.
#define KINSTR_SIMT_MOST_slots(BUFFER, LAYOUT, FLOW)                           \
  KINSTR_SIMT_TYPE(BUFFER, LAYOUT, FLOW, 3, 63, 250)
#define KINSTR_SIMT_MOST_stream(BUFFER, LAYOUT, FLOW)
#define KINSTR_SIMT_TYPES(BUFFER, LAYOUT, FLOW)                                \
  KINSTR_SIMT_TYPE(BUFFER, LAYOUT, FLOW, 0, 1, 32)                             \
  KINSTR_SIMT_TYPE(BUFFER, LAYOUT, FLOW, 1, 4, 96)                             \
  KINSTR_SIMT_TYPE(BUFFER, LAYOUT, FLOW, 2, 9, 0)                              \
  KINSTR_SIMT_MOST_##LAYOUT(BUFFER, LAYOUT, FLOW)
  static const std::vector<KernelType> Types = {
      KINSTR_SIMT_KERNELS(KINSTR_SIMT_TYPES)};
  return Types;
}

const std::vector<CalleeType> &calleeTypes() {
#define KINSTR_SIMT_CALLEE_TYPE(FLOW, NESTING)                                 \
  {Flow::FLOW, Nesting::NESTING, FLOW##_##NESTING##_first, CalleeSites,        \
   &callee_##FLOW##_##NESTING<FLOW##_##NESTING##_first, CalleeSites>},
  static const std::vector<CalleeType> Types = {
      KINSTR_SIMT_CALLEES(KINSTR_SIMT_CALLEE_TYPE)};
  return Types;
}

const char *name(Flow F) {
  static const char *const Names[] = {"uniform", "warprows", "divergent"};
  return Names[static_cast<int>(F)];
}
const char *name(Layout L) { return L == Layout::slots ? "slots" : "stream"; }
const char *name(Nesting N) {
  static const char *const Names[] = {"leaf", "once", "recursive"};
  return Names[static_cast<int>(N)];
}

std::string KernelType::name() const {
  return std::string(Buffer) + "_" + simt::name(Lay) + "_" + simt::name(Flw) +
         "<" + std::to_string(Sites) + " sites, " + std::to_string(Threads) +
         " threads>";
}

std::string CalleeType::name() const {
  return std::string(simt::name(Flw)) + "_" + simt::name(Nest);
}

void setState(const State &S) {
  kinstr::state = {};
  kinstr::state.data = S.Data;
  kinstr::state.heads = static_cast<kinstr::region_head *>(S.Heads);
  kinstr::state.region_words = S.RegionWords;
  kinstr::state.last_region = S.Regions - 1;
  kinstr::state.module = S.Module;
  kinstr::state.chunks = static_cast<kinstr::callee_chunk *>(S.Chunks);
}

void setRecording(bool On) { kinstr::state.recording = On; }

} // namespace simt
