// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size of an arena, and what its regions hold. No CUDA here.
#ifndef KINSTR_LIB_ARENA_H
#define KINSTR_LIB_ARENA_H

#include <cstddef>
#include <cstdint>
#include <kinstr/record.h>

namespace kinstr::rt
{

struct arena_size
{
  std::uint32_t regions;
  std::uint32_t region_words; ///< even, so that regions start on 8 bytes

  std::size_t words() const { return std::size_t{regions} * region_words; }
  std::size_t bytes() const { return words() * sizeof(std::uint32_t); }
};

/// One region for each SM. `buffer_mb` of 0: 256 MiB or 5 % of the free memory, the smaller.
arena_size plan_arena(std::uint32_t sm_count, std::size_t free_bytes, std::uint64_t buffer_mb);

/// The size of one of `parts`.
arena_size part_of(arena_size whole, std::size_t parts);

struct record_counts
{
  std::uint64_t records = 0;
  std::uint64_t events  = 0; ///< slots reached and events written, exits included
  bool damaged          = false;
};

/// Walks the records of one region as docs/trace-format.md says.
record_counts count_records(const std::uint32_t *words, std::size_t size);

/// Up to the end of the last record of a region of which no head tells. That record may end in
/// words of zero: slots and events that its warp has not come to.
std::size_t written_words(const std::uint32_t *words, std::size_t size);

} // namespace kinstr::rt

#endif // KINSTR_LIB_ARENA_H
