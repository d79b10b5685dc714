// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizing an arena and walking its regions.
#include "arena.h"

#include <algorithm>

namespace kinstr::rt
{
namespace
{

std::uint64_t count_events(const std::uint32_t *record, std::size_t size)
{
  const record_tag tag     = unpack_tag(record[0]);
  const std::uint32_t step = tag.stream ? event_words : 1;
  std::uint64_t count      = 0;
  const std::uint32_t end  = payload_end(tag, static_cast<std::uint32_t>(size));
  for (std::size_t i = payload_begin(tag); i < end; i += step)
  {
    count += tag.stream ? is_user_event(record[i], record[i + 1]) : record[i] != 0;
  }
  return count;
}

/// Length of the record at the front of `size` words; 0: there is none, or it is longer than that.
std::size_t first_record(const std::uint32_t *words, std::size_t size)
{
  const std::size_t need = record_words(words[0], size > 2 ? words[2] : 0);
  return need <= size ? need : 0;
}

} // namespace

arena_size plan_arena(std::uint32_t sm_count, std::size_t free_bytes, std::uint64_t buffer_mb)
{
  constexpr std::uint64_t mib       = 1u << 20;
  constexpr std::uint64_t most      = 256 * mib;
  constexpr std::uint64_t max_words = 0xFFFFFFFEu; // an index below `nowhere`, see detail/arena.cuh

  const std::uint64_t bytes =
      buffer_mb != 0 ? buffer_mb * mib : std::min<std::uint64_t>(most, free_bytes / 20);
  const std::uint32_t regions = std::max(sm_count, 1u);
  const std::uint64_t words   = std::min(bytes / sizeof(std::uint32_t), max_words) / regions;
  // On a GPU that is almost full, ask for a little and let the allocation say no.
  return {regions, std::max(static_cast<std::uint32_t>(words) & ~1u, min_region_words)};
}

arena_size part_of(arena_size whole, std::size_t parts)
{
  const auto words = static_cast<std::uint32_t>(whole.region_words / parts) & ~1u;
  return {whole.regions, std::max(words, min_region_words)};
}

record_counts count_records(const std::uint32_t *words, std::size_t size)
{
  record_counts counts;
  for (std::size_t at = 0; at < size;)
  {
    if (words[at] == 0) // reserved and never written
    {
      ++at;
      continue;
    }
    const std::size_t need = first_record(words + at, size - at);
    if (need == 0)
    {
      counts.damaged = true;
      break;
    }
    ++counts.records;
    counts.events += count_events(words + at, need);
    at += need;
  }
  return counts;
}

std::size_t written_words(const std::uint32_t *words, std::size_t size)
{
  std::size_t last = size; // behind the last word that is not zero
  while (last > 0 && words[last - 1] == 0)
  {
    --last;
  }
  std::size_t at = 0;
  while (at < last)
  {
    const std::size_t need = words[at] == 0 ? 1 : first_record(words + at, size - at);
    if (need == 0)
    {
      return last;
    }
    at += need;
  }
  return at;
}

} // namespace kinstr::rt
