// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch table's rows, and what is asked about each kernel launched.
#include "launch_table.h"

#include "guards.h"
#include "names.h"

#include <algorithm>

namespace kinstr::rt
{
namespace
{

/// Of a launch at an unknown place, in function_index.
constexpr std::uint32_t no_module = ~std::uint32_t{0};

/// The kernel the source says is launched there; -1: only the run can tell.
int kernel_of_site(const process_state &p, const launch_place &at)
{
  const std::vector<int> &kernels = p.modules[at.module->index].contents.launch_kernels;
  return at.site < static_cast<int>(kernels.size()) ? kernels[at.site] : -1;
}

/// Mangled; empty: unknown.
std::string name_of([[maybe_unused]] const void *kernel)
{
  const char *name = nullptr;
#if CUDART_VERSION >= 12030
  if (cudaFuncGetName(&name, kernel) != cudaSuccess)
  {
    name = nullptr;
  }
#endif
  return name != nullptr ? name : "";
}

/// The kernel of module `m` that has this qualified name; -1: none.
int kernel_named(const process_state &p, std::uint32_t m, const std::string &name)
{
  const std::vector<std::string> &known = p.modules[m].contents.kernel_functions;
  const auto at                         = std::find(known.begin(), known.end(), name);
  return at != known.end() && !name.empty() ? static_cast<int>(at - known.begin()) : -1;
}

/// The annotated kernel of that mangled name: of `module`, else the only one of all modules.
function_entry find_kernel(const process_state &p, std::uint32_t module, std::string mangled)
{
  const std::string name = qualified_name(mangled);
  function_entry f{module, module != no_module ? kernel_named(p, module, name) : -1,
                   std::move(mangled)};
  unsigned found = 0;
  for (std::uint32_t m = 0; f.kernel < 0 && m < p.modules.size(); ++m)
  {
    found += kernel_named(p, m, name) >= 0;
  }
  for (std::uint32_t m = 0; found == 1 && f.kernel < 0; ++m)
  {
    f.module = m;
    f.kernel = kernel_named(p, m, name);
  }
  return f;
}

/// The kernel as a row of the function table; -1: unknown, or launched at an unknown place and not
/// annotated.
int function_of(process_state &p, const launch_place &at, const void *kernel)
{
  if (kernel == nullptr)
  {
    return -1;
  }
  const bool placed          = at.module != nullptr;
  const std::uint32_t module = placed ? at.module->index : no_module;
  const auto [row, added]    = p.function_index.try_emplace({module, kernel}, -1);
  if (!added)
  {
    return row->second;
  }

  const relaxed_capture_guard relaxed; // the first look at a kernel may load its code
  const int of_site = placed ? kernel_of_site(p, at) : -1;
  function_entry f  = of_site >= 0 ? function_entry{module, of_site, name_of(kernel)}
                                   : find_kernel(p, module, name_of(kernel));
  if (!placed && f.kernel < 0)
  {
    return -1;
  }
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess)
  {
    f.registers     = attributes.numRegs;
    f.static_shared = attributes.sharedSizeBytes;
    f.local_bytes   = attributes.localSizeBytes;
  }
  p.functions.push_back(std::move(f));
  return row->second = static_cast<int>(p.functions.size() - 1);
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

/// Returns the row.
std::size_t add_launch(process_state &p, device_entry &d, const launch_place &at, int function,
                       const launch_arguments &a, bool captured)
{
  if (p.launches.size() >= p.most_launches)
  {
    ++p.launches_not_listed;
    return no_row;
  }
  launch_entry e{};
  e.device   = position(p, d);
  e.module   = at.module != nullptr ? at.module->index : p.functions[function].module;
  e.site     = at.site;
  e.function = function;
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
  return p.launches.size() - 1;
}

} // namespace

void commit(process_state &p, announced_launch &l)
{
  const error_guard errors;
  int ordinal = 0;
  if (cudaGetDevice(&ordinal) != cudaSuccess)
  {
    return; // no driver, no GPU: the program's own launch says so
  }
  const std::lock_guard<std::mutex> lock(p.mutex);
  if (p.modules.empty()) // all of them were for another ABI
  {
    return;
  }

  const bool selected = is_selected(p, p.committed);
  device_entry *d     = attach(p, ordinal, selected);
  const int function  = d != nullptr && (selected || l.at.module == nullptr)
                            ? function_of(p, l.at, l.arguments.kernel)
                            : -1;
  if (l.at.module == nullptr && function < 0)
  {
    return;
  }
  ++p.committed;
  if (d == nullptr)
  {
    return;
  }
  const bool captured = switch_for_launch(p, *d, selected, l.arguments.stream);
  if (selected)
  {
    if (!captured)
    {
      make_room(p, *d, l.arguments);
    }
    l.row       = add_launch(p, *d, l.at, function, l.arguments, captured);
    l.committed = l.row != no_row ? p.launches[l.row].host_unix_ns : 0;
  }
}

void complete(process_state &p, const announced_launch &l, const void *kernel)
{
  const std::lock_guard<std::mutex> lock(p.mutex);
  // The table may have been emptied meanwhile.
  if (l.row >= p.launches.size() || p.launches[l.row].host_unix_ns != l.committed)
  {
    return;
  }
  launch_entry &e = p.launches[l.row];
  const error_guard errors;
  launch_arguments a = l.arguments;
  a.kernel           = kernel;
  e.function         = function_of(p, l.at, kernel);
  e.blocks_per_sm    = occupancy_of(p, e.function, e.device, a);
}

} // namespace kinstr::rt
