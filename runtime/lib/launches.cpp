// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launches the host sees: collecting their arguments, and the launch table.
#include "guards.h"
#include "messages.h"
#include "state.h"

#include <algorithm>
#include <exception>

namespace kinstr::rt
{
namespace
{

enum argument : unsigned
{
  grid   = 1,
  block  = 2,
  shared = 4,
  stream = 8
};

/// A launch whose arguments are being evaluated.
struct pending_launch
{
  kinstr_module *module;
  std::uint32_t site;
  unsigned seen; ///< set of `argument`
  unsigned count;
  launch_arguments arguments;
};

/// Those of this thread, the innermost last: an argument may itself launch. Launches whose
/// evaluation threw stay until an outer one goes on, or until newer ones push them out.
struct pending_launches
{
  static constexpr unsigned most = 8;

  pending_launch items[most];
  unsigned count;
};

thread_local pending_launches pending = {};

/// The launch that `which` belongs to, as the last of `pending`. One that has seen `which` is not
/// it, but abandoned, or an outer call of the same site.
pending_launch &pending_for(kinstr_module *module, std::uint32_t site, argument which)
{
  for (unsigned i = pending.count; i-- > 0;)
  {
    pending_launch &l = pending.items[i];
    if (l.module == module && l.site == site && (l.seen & which) == 0)
    {
      pending.count = i + 1; // those within it are abandoned
      return l;
    }
  }
  if (pending.count == pending_launches::most)
  {
    std::copy(pending.items + 1, pending.items + pending.count, pending.items);
    --pending.count;
  }
  pending_launch &l = pending.items[pending.count++];
  l                 = {module, site, 0, 0, {}};
  return l;
}

/// The module's and the site's kernel as a row of the function table; -1: unknown.
int function_of(process_state &p, std::uint32_t module, std::uint32_t site, const void *kernel)
{
  if (kernel == nullptr)
  {
    return -1;
  }
  const auto [at, added] = p.function_index.try_emplace({module, kernel}, 0);
  if (!added)
  {
    return at->second;
  }

  const std::vector<int> &kernels = p.modules[module].contents.launch_kernels;
  function_entry f{module, site < kernels.size() ? kernels[site] : -1, {}};

  const relaxed_capture_guard relaxed; // the first look at a kernel may load its code
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess)
  {
    f.registers     = attributes.numRegs;
    f.static_shared = attributes.sharedSizeBytes;
    f.local_bytes   = attributes.localSizeBytes;
  }
#if CUDART_VERSION >= 12030
  const char *name = nullptr;
  if (cudaFuncGetName(&name, kernel) == cudaSuccess && name != nullptr)
  {
    f.name = name;
  }
#endif
  p.functions.push_back(std::move(f));
  return at->second = static_cast<int>(p.functions.size() - 1);
}

/// Blocks an SM holds at a time; 0: unknown.
int occupancy_of(process_state &p, int function, std::uint32_t device, const launch_arguments &a)
{
  if (function < 0)
  {
    return 0;
  }
  const unsigned threads = a.block[0] * a.block[1] * a.block[2];
  const auto [at, added] = p.occupancy.try_emplace({function, device, threads, a.shared}, 0);
  if (added)
  {
    const relaxed_capture_guard relaxed;
    int blocks = 0;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, a.kernel, static_cast<int>(threads),
                                                      a.shared) != cudaSuccess)
    {
      p.occupancy.erase(at); // cudaFuncSetAttribute() may yet allow it
      return 0;
    }
    at->second = blocks;
  }
  return at->second;
}

/// 0 for the default stream (also a per-thread one, which the caller's code calls 0 too).
std::uint32_t stream_number(process_state &p, cudaStream_t s)
{
  if (s == nullptr || s == cudaStreamLegacy)
  {
    return 0;
  }
  const auto next = static_cast<std::uint32_t>(p.stream_index.size() + 1);
  return p.stream_index.try_emplace(s, next).first->second;
}

std::uint32_t position(const process_state &p, const device_entry &d)
{
  std::uint32_t i = 0;
  while (p.devices[i].get() != &d)
  {
    ++i;
  }
  return i;
}

void add_launch(process_state &p, device_entry &d, const pending_launch &l, bool captured)
{
  if (p.launches.size() >= p.most_launches)
  {
    ++p.launches_not_listed;
    return;
  }
  const launch_arguments &a = l.arguments;

  launch_entry e{};
  e.device   = position(p, d);
  e.module   = l.module->index;
  e.site     = l.site;
  e.function = function_of(p, e.module, e.site, a.kernel);
  for (int i = 0; i < 3; ++i)
  {
    e.grid[i]  = a.grid[i];
    e.block[i] = a.block[i];
  }
  e.dynamic_shared = a.shared;
  e.stream         = stream_number(p, a.stream);
  e.blocks_per_sm  = occupancy_of(p, e.function, e.device, a);
  e.host_unix_ns   = unix_ns();
  e.captured       = captured;
  p.launches.push_back(e);
}

void commit(process_state &p, const pending_launch &l)
{
  const error_guard errors;
  int ordinal = 0;
  if (cudaGetDevice(&ordinal) != cudaSuccess)
  {
    return; // no driver, no GPU: the program's own launch says so
  }
  const std::lock_guard<std::mutex> lock(p.mutex);

  const bool selected = is_selected(p, p.committed++);
  device_entry *d     = attach(p, ordinal, selected);
  if (d == nullptr)
  {
    return;
  }
  const bool captured = switch_for_launch(p, *d, selected, l.arguments.stream);
  if (selected)
  {
    add_launch(p, *d, l, captured);
  }
}

/// Where to put one argument of a launch; null: this launch is not followed.
launch_arguments *expect(kinstr_module *module, std::uint32_t site, argument which)
{
  // A launch in a static constructor can come before its own file is registered.
  if (module->abi != abi_version || module->next == nullptr)
  {
    return nullptr;
  }
  pending_launch &l = pending_for(module, site, which);
  l.seen |= which;
  ++l.count;
  return &l.arguments;
}

/// The last of `pending`.
void commit_if_complete()
{
  const pending_launch complete = pending.items[pending.count - 1];
  if (complete.count < complete.module->arguments[complete.site])
  {
    return;
  }
  --pending.count;

  process_state &p = the_process();
  if (p.finished || in_forked_child(p))
  {
    return;
  }
  try
  {
    commit(p, complete);
  }
  catch (const std::exception &e)
  {
    report(severity::error, "a launch is missing from the trace: %s", e.what());
  }
}

} // namespace
} // namespace kinstr::rt

using namespace kinstr::rt;

extern "C" void kinstr_launch_grid(kinstr_module *module, std::uint32_t site, const void *kernel,
                                   unsigned x, unsigned y, unsigned z)
{
  if (launch_arguments *const a = expect(module, site, grid))
  {
    a->kernel  = kernel;
    a->grid[0] = x;
    a->grid[1] = y;
    a->grid[2] = z;
    commit_if_complete();
  }
}

extern "C" void kinstr_launch_block(kinstr_module *module, std::uint32_t site, unsigned x,
                                    unsigned y, unsigned z)
{
  if (launch_arguments *const a = expect(module, site, block))
  {
    a->block[0] = x;
    a->block[1] = y;
    a->block[2] = z;
    commit_if_complete();
  }
}

extern "C" void kinstr_launch_shared(kinstr_module *module, std::uint32_t site, std::size_t bytes)
{
  if (launch_arguments *const a = expect(module, site, shared))
  {
    a->shared = bytes;
    commit_if_complete();
  }
}

extern "C" void kinstr_launch_stream(kinstr_module *module, std::uint32_t site, cudaStream_t s)
{
  if (launch_arguments *const a = expect(module, site, stream))
  {
    a->stream = s;
    commit_if_complete();
  }
}
