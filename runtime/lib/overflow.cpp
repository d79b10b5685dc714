// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// overflow=ring and grow: another segment before the current one is full.
//
// The host runs ahead of the device, so what was recorded so far says little about what the
// launches queued already will record. The host counts the warps it launches and learns from the
// heads, whenever a copy of them arrives, how many words a warp takes. Before a launch that might
// not fit it changes the segment, on the device between the launches before and after
// (recording.cpp). Nothing waits. An estimate that was too low costs records, which are counted.
//
// A segment is changed in that order or not at all: a warp that had begun would go on in the other
// one. So there is no other segment where the driver cannot order all streams (before 12.5), nor
// after a launch into a stream capture.
#include "guards.h"
#include "messages.h"
#include "state.h"

#include <algorithm>

namespace kinstr::rt
{
namespace
{

constexpr double full_enough = 0.9; ///< of the fullest region: the estimate has an error

std::uint64_t warps_of(const launch_arguments &a)
{
  const auto volume = [](const unsigned (&v)[3]) { return std::uint64_t{v[0]} * v[1] * v[2]; };
  return volume(a.grid) * ((volume(a.block) + 31) / 32);
}

/// Words in the fullest region once `warps` have recorded.
double expected_words(const device_entry &d, std::uint64_t warps)
{
  return d.fill.words_per_warp * static_cast<double>(warps) / d.arena.regions;
}

void learn(device_entry &d)
{
  fill_watch &f = d.fill;
  if (!f.in_flight || cudaEventQuery(f.after) != cudaSuccess)
  {
    return;
  }
  f.in_flight = false;
  if (f.segment != d.current || f.snapshot_warps == 0)
  {
    return;
  }
  unsigned long long fullest = 0;
  for (std::uint32_t r = 0; r < d.arena.regions; ++r)
  {
    fullest = std::max(fullest, f.snapshot[r].next);
  }
  f.words_per_warp =
      static_cast<double>(fullest) * d.arena.regions / static_cast<double>(f.snapshot_warps);
}

/// Asks for a copy of the heads as the launches so far leave them, now and then.
void ask(device_entry &d)
{
  fill_watch &f          = d.fill;
  const arena_segment &s = d.segments[d.current];
  const double news      = expected_words(d, f.warps - f.asked_at);
  if (f.in_flight || f.warps == f.asked_at || news < s.size.region_words / 16.0 ||
      !record_all_streams(d, f.before))
  {
    return;
  }
  cudaStreamWaitEvent(f.stream, f.before, 0);
  cudaMemcpyAsync(f.snapshot, s.heads, s.size.regions * sizeof(region_head), cudaMemcpyDefault,
                  f.stream);
  f.in_flight      = cudaEventRecord(f.after, f.stream) == cudaSuccess;
  f.segment        = d.current;
  f.snapshot_warps = f.warps;
  f.asked_at       = f.warps;
}

void say_exhausted(device_entry &d, const char *why)
{
  d.fill.exhausted = true;
  report(severity::warning, "%s: %s: what no longer fits is dropped", name_of(d).c_str(), why);
}

/// Twice the size of the current one, if there is memory.
bool grow(process_state &p, device_entry &d)
{
  arena_size size        = d.segments[d.current].size;
  const arena_size twice = {size.regions, size.region_words * 2};
  std::size_t free_bytes = 0;
  std::size_t total      = 0;
  if (!d.host_arena && cudaMemGetInfo(&free_bytes, &total) == cudaSuccess)
  {
    // The program needs memory, too.
    size = twice.bytes() <= free_bytes / 2 ? twice : size;
    if (size.bytes() > free_bytes / 2)
    {
      return false;
    }
  }
  // An index of a word has 32 bits.
  size = size.words() < 0xFFFFFFFFu ? size : d.segments[d.current].size;
  if (add_segment(d, size) != cudaSuccess)
  {
    return false;
  }
  if (clear_segment(d, d.segments.back()) == cudaSuccess &&
      prepare_states(p, d, d.segments.back()) == cudaSuccess &&
      switch_segment(p, d, d.segments.size() - 1))
  {
    return true;
  }
  // Nothing knows it yet. It stays allocated: handing back could wait for the program's work.
  return false;
}

/// The first launch of a kernel may load it, and loading may wait for the device: better now.
void load_kernels(const process_state &p)
{
  for (const module_entry &m : p.modules)
  {
    cudaFuncAttributes attributes;
    if (m.module != nullptr && m.module->retire != nullptr)
    {
      cudaFuncGetAttributes(&attributes, m.module->retire);
    }
  }
}

/// Empties `s` once the switch is done, on the device. Whatever module has the kernel will do.
bool retire(const process_state &p, const device_entry &d, arena_segment &s)
{
  region_head *lost = d.lost;
  void *arguments[] = {static_cast<void *>(&s.data), static_cast<void *>(&s.heads),
                       &s.size.region_words, static_cast<void *>(&lost)};
  for (std::size_t i = 0; i < d.unwritable.size(); ++i)
  {
    const kinstr_module *const m = p.modules[i].module;
    if (!d.unwritable[i] && m != nullptr && m->retire != nullptr &&
        cudaLaunchKernel(m->retire, dim3(s.size.regions), dim3(32), arguments, 0, d.stream) ==
            cudaSuccess)
    {
      return forget_chunks(d, s) == cudaSuccess;
    }
  }
  return false;
}

/// The next segment is empty: it was retired when the current one became that.
bool turn(process_state &p, device_entry &d)
{
  const std::size_t next = (d.current + 1) % d.segments.size();
  if (!switch_segment(p, d, next))
  {
    return false;
  }
  if (!retire(p, d, d.segments[(next + 1) % d.segments.size()]))
  {
    say_exhausted(d, "overflow=ring: old records cannot be counted here");
  }
  return true;
}

/// Before anything is allocated: whether the order is to be had that a change needs.
bool can_be_ordered(const device_entry &d) { return record_all_streams(d, d.fill.before); }

void change_segment(process_state &p, device_entry &d)
{
  const bool growing = p.settings.overflow == overflow_mode::grow;
  if (!can_be_ordered(d))
  {
    say_exhausted(d, growing ? "overflow=grow: the streams cannot be ordered"
                             : "overflow=ring: the streams cannot be ordered");
  }
  else if (!(growing ? grow(p, d) : turn(p, d)))
  {
    say_exhausted(d, growing ? "overflow=grow: there is no memory for more"
                             : "overflow=ring: there is no other part");
  }
  else
  {
    d.fill.warps    = 0;
    d.fill.asked_at = 0;
  }
}

} // namespace

cudaError_t prepare_overflow(const process_state &p, device_entry &d)
{
  if (p.settings.overflow == overflow_mode::stop)
  {
    return cudaSuccess;
  }
  fill_watch &f           = d.fill;
  const std::size_t bytes = d.arena.regions * sizeof(region_head);
  cudaError_t error       = cudaStreamCreateWithFlags(&f.stream, cudaStreamNonBlocking);
  for (cudaEvent_t *event : {&f.before, &f.after})
  {
    error = error == cudaSuccess ? cudaEventCreateWithFlags(event, cudaEventDisableTiming) : error;
  }
  void *memory = nullptr;
  error        = error == cudaSuccess ? cudaHostAlloc(&memory, bytes, cudaHostAllocDefault) : error;
  f.snapshot   = static_cast<region_head *>(memory);
  if (error == cudaSuccess && p.settings.overflow == overflow_mode::ring)
  {
    load_kernels(p);
    error  = d.host_arena ? cudaHostAlloc(&memory, bytes, cudaHostAllocMapped)
                          : cudaMalloc(&memory, bytes);
    d.lost = error == cudaSuccess ? static_cast<region_head *>(memory) : nullptr;
  }
  return error;
}

void release_overflow(device_entry &d)
{
  d.host_arena ? cudaFreeHost(d.lost) : cudaFree(d.lost);
  cudaFreeHost(d.fill.snapshot);
  for (const cudaEvent_t event : {d.fill.before, d.fill.after})
  {
    if (event != nullptr)
    {
      cudaEventDestroy(event);
    }
  }
  if (d.fill.stream != nullptr)
  {
    cudaStreamDestroy(d.fill.stream);
  }
}

void make_room(process_state &p, device_entry &d, const launch_arguments &a)
{
  fill_watch &f = d.fill;
  if (f.stream == nullptr || f.exhausted)
  {
    return;
  }
  const relaxed_capture_guard relaxed;
  const std::uint64_t warps = warps_of(a);
  learn(d);
  const double room = full_enough * d.segments[d.current].size.region_words;
  if (f.warps > 0 && expected_words(d, f.warps + warps) > room)
  {
    change_segment(p, d);
  }
  else
  {
    ask(d);
  }
  f.warps += warps;
}

} // namespace kinstr::rt
