// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KINSTR_OPTIONS: what it may hold, and the names of trace files. No CUDA here.
#ifndef KINSTR_LIB_OPTIONS_H
#define KINSTR_LIB_OPTIONS_H

#include <cstdint>
#include <kinstr/record.h>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace kinstr::rt
{

/// Where the trace goes. %p: process id, %e: base name of the program, %%: a percent sign.
struct path_pattern
{
  std::string text;
};

/// Size of the arena of each device [MiB]; 0: chosen from the free memory.
struct megabytes
{
  std::uint64_t count;
};

/// How long the end of the program waits for kernels that still run.
struct seconds
{
  std::uint64_t count;
};

/// Launches of the process that are recorded, in the order of the calls.
struct launch_window
{
  std::uint64_t skip  = 0;
  std::uint64_t count = std::numeric_limits<std::uint64_t>::max();

  bool contains(std::uint64_t launch) const { return launch >= skip && launch - skip < count; }
};

/// The multiples of `n`, which is at least 1. Those of an odd number are the products of its
/// inverse modulo 2^32 that are small; of an even one, those whose low bits are zero as well, and a
/// rotation makes any other large (Warren, Hacker's Delight, 10-17).
inline sample_rule sample_every(std::uint32_t n)
{
  std::uint32_t twos = 0;
  while ((n >> twos & 1) == 0)
  {
    ++twos;
  }
  const std::uint32_t odd = n >> twos;
  std::uint32_t inverse   = odd; // right in 3 bits; each step doubles them
  for (int step = 0; step < 4; ++step)
  {
    inverse *= 2 - odd * inverse;
  }
  return {inverse, 0, twos, 0xFFFFFFFFu / n};
}

/// One in `every`, or `count` from `first` on.
struct sampling
{
  std::uint32_t every = 1;
  std::uint32_t first = 0;
  std::uint32_t count = std::numeric_limits<std::uint32_t>::max();

  bool all() const { return every == 1 && count == std::numeric_limits<std::uint32_t>::max(); }
  sample_rule rule() const
  {
    return all() ? sample_all : every > 1 ? sample_every(every) : sample_range(first, count);
  }
};

/// When the current device is attached: at the first launch seen, or when the program starts.
struct attach_moment
{
  bool at_load = false;
};

/// What happens when an arena is full.
enum class overflow_mode
{
  stop, ///< what comes then is dropped
  ring, ///< the oldest launches are dropped
  grow  ///< there is another one
};

/// Where arenas are.
struct arena_place
{
  bool on_host = false;
  bool chosen  = false; ///< by name: what the default loses need not be said
};

struct options
{
#define KINSTR_OPTION(TYPE, KEY, VALUE, ...) TYPE KEY = __VA_ARGS__;
#include "options.def"
};

struct parsed_options
{
  options values;
  std::vector<std::string> complaints; ///< one for each item that was ignored
};

/// Parses comma-separated KEY=VALUE items. What it cannot read keeps its default.
parsed_options parse_options(std::string_view text);

/// `pattern` with its %-sequences replaced.
std::string expand(const path_pattern &pattern, long pid, std::string_view program);

/// `path` itself for the first file, "x.1.kitrace", "x.2.kitrace", ... for those after it.
std::string numbered(const std::string &path, unsigned file);

} // namespace kinstr::rt

#endif // KINSTR_LIB_OPTIONS_H
