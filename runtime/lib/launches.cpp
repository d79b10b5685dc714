// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launches the host sees: their arguments, one by one, then the call itself.
#include "launch_table.h"
#include "messages.h"

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

/// The launches of this thread that have begun, the innermost last: an argument may itself launch.
/// Those whose evaluation threw, or whose call is not seen, stay until an outer one goes on, or
/// until newer ones push them out.
template <typename Launch>
struct launch_stack
{
  static constexpr unsigned most = 8;

  Launch items[most];
  unsigned count;

  Launch &top() { return items[count - 1]; }
  void drop_top() { --count; }
  Launch &push(const Launch &l)
  {
    if (count == most)
    {
      std::copy(items + 1, items + count, items);
      --count;
    }
    return items[count++] = l;
  }
};

thread_local launch_stack<pending_launch> pending     = {};
thread_local launch_stack<announced_launch> announced = {};

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
  return pending.push({module, site, 0, 0, {}});
}

/// Runs body(the_process()), unless there is nothing to record any more. No exception leaves.
template <typename Body>
void recording_launch(Body body)
{
  process_state &p = the_process();
  if (p.finished || in_forked_child(p))
  {
    return;
  }
  try
  {
    body(p);
  }
  catch (const std::exception &e)
  {
    report(severity::error, "a launch is missing from the trace: %s", e.what());
  }
}

bool agree(const launch_arguments &a, const launch_arguments &b)
{
  return std::equal(a.grid, a.grid + 3, b.grid) && std::equal(a.block, a.block + 3, b.block) &&
         a.shared == b.shared && a.stream == b.stream &&
         (a.kernel == nullptr || b.kernel == nullptr || a.kernel == b.kernel);
}

/// A launch in a static constructor can come before its own file is registered.
bool is_registered(const kinstr_module *module)
{
  return module->abi == abi_version && module->next != nullptr;
}

/// Where to put one argument of a launch; null: this launch is not followed.
launch_arguments *expect(kinstr_module *module, std::uint32_t site, argument which)
{
  if (!is_registered(module))
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
  const pending_launch complete = pending.top();
  if (complete.count < complete.module->arguments[complete.site])
  {
    return;
  }
  pending.drop_top();
  announced_launch l{{complete.module, static_cast<int>(complete.site)}, true, complete.arguments};
  recording_launch(
      [&](process_state &p)
      {
        commit(p, l);
        announced.push(l);
      });
}

} // namespace

void launch_follows(const launch_arguments &a)
{
  recording_launch(
      [&](process_state &p)
      {
        announced_launch l{{nullptr, -1}, true, a};
        for (unsigned i = announced.count; i-- > 0;)
        {
          const announced_launch &known = announced.items[i];
          if (known.configured && !agree(known.arguments, a))
          {
            continue;
          }
          const announced_launch mine = known;
          announced.count             = i; // those above it did not happen
          if (mine.configured)
          {
            return mine.arguments.kernel == nullptr ? complete(p, mine, a.kernel) : void();
          }
          l.at = mine.at;
          break;
        }
        commit(p, l);
      });
}

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

extern "C" void kinstr_launch_call(kinstr_module *module, std::uint32_t site)
{
  if (is_registered(module))
  {
    announced.push({{module, static_cast<int>(site)}, false, {}});
  }
}

extern "C" void kinstr_attach(void)
{
  recording_launch(
      [](process_state &p)
      {
        announced_launch l{{nullptr, -1}, true, {}};
        commit(p, l);
      });
}
