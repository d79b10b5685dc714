// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the host runtime, which has no device code of its own, runs on the device between the
// program's kernels. It launches these by their address (module.h).
#ifndef KINSTR_DETAIL_SERVICE_CUH
#define KINSTR_DETAIL_SERVICE_CUH

#include <kinstr/detail/arena.cuh>

namespace kinstr
{
namespace detail
{

/// The first word at or behind `at` that is not zero, by a whole warp.
KINSTR_DEVICE std::uint32_t next_nonzero(const std::uint32_t *words, std::uint32_t at,
                                         std::uint32_t size)
{
  for (; at < size; at += 32)
  {
    const std::uint32_t i    = at + threadIdx.x;
    const std::uint32_t some = __ballot_sync(full_warp, i < size && words[i] != 0);
    if (some != 0)
    {
      return at + lowest_lane(some);
    }
  }
  return size;
}

/// Adds to `records`, the same in all lanes, and to `events`, each lane its own share.
KINSTR_DEVICE void count_region(const std::uint32_t *words, std::uint32_t size,
                                unsigned long long &records, unsigned long long &events)
{
  for (std::uint32_t at = 0; (at = next_nonzero(words, at, size)) < size;)
  {
    const std::uint32_t *const record = words + at;
    const std::uint32_t length        = record_words(record[0], size - at > 2 ? record[2] : 0);
    if (length == 0 || length > size - at)
    {
      return; // as count_records() of the host
    }
    const record_tag tag     = unpack_tag(record[0]);
    const std::uint32_t step = tag.stream ? event_words : 1;
    const std::uint32_t end  = payload_end(tag, length);
    for (std::uint32_t i = payload_begin(tag) + threadIdx.x * step; i < end; i += 32 * step)
    {
      const bool counts = tag.stream ? is_user_event(record[i], record[i + 1]) : record[i] != 0;
      events += counts ? 1 : 0;
    }
    ++records;
    at += length;
  }
}

} // namespace detail

namespace
{

/// Empties the regions of an arena, and adds what they held, and what they had dropped, to `lost`.
/// One warp a region.
__global__ void kinstr_retire(std::uint32_t *data, region_head *heads, std::uint32_t region_words,
                              region_head *lost)
{
  region_head &head             = heads[blockIdx.x];
  std::uint32_t *const words    = data + std::size_t{blockIdx.x} * region_words;
  const unsigned long long next = head.next;
  const std::uint32_t size = next < region_words ? static_cast<std::uint32_t>(next) : region_words;
  unsigned long long records = 0;
  unsigned long long events  = 0;
  detail::count_region(words, size, records, events);
  atomicAdd(&lost[blockIdx.x].dropped_events, events);
  __syncwarp();
  for (std::uint32_t i = threadIdx.x; i < size; i += 32)
  {
    words[i] = 0;
  }
  if (threadIdx.x == 0)
  {
    atomicAdd(&lost[blockIdx.x].dropped_records, records + head.dropped_records);
    atomicAdd(&lost[blockIdx.x].dropped_events, head.dropped_events);
    head = region_head{};
  }
}

} // namespace
} // namespace kinstr

#endif // KINSTR_DETAIL_SERVICE_CUH
