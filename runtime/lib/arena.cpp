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

/// Words of the record at `words`; 0: there is no record.
std::size_t record_size(const std::uint32_t *words, std::size_t left)
{
  if ((words[0] & 1) == 0)
  {
    return 0;
  }
  const record_tag tag     = unpack_tag(words[0]);
  const std::size_t anchor = tag.anchor ? anchor_word_count : 0;
  if (!tag.stream)
  {
    return tag.words > slots_header_words + anchor ? tag.words : 0;
  }
  if (tag.words != 0 || left < stream_header_words)
  {
    return 0;
  }
  return stream_header_words + anchor +
         std::size_t{unpack_stream_count(words[2]).events} * event_words;
}

std::uint64_t count_events(const std::uint32_t *record, std::size_t size)
{
  const record_tag tag     = unpack_tag(record[0]);
  const std::size_t step   = tag.stream ? event_words : 1;
  const std::uint32_t none = 0;
  std::uint64_t count      = 0;
  for (std::size_t i = (tag.stream ? stream_header_words : slots_header_words) +
                       (tag.anchor ? anchor_word_count : 0);
       i < size; i += step)
  {
    count += (record[i] | (tag.stream ? record[i + 1] : none)) != 0;
  }
  return count;
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
  return {regions, std::max(static_cast<std::uint32_t>(words) & ~1u, 256u)};
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
    const std::size_t need = record_size(words + at, size - at);
    if (need == 0 || need > size - at)
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

} // namespace kinstr::rt
