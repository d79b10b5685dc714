// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C functions a program may call: kinstr.h, and the cudaDeviceReset() of rewritten files.
#include "guards.h"
#include "messages.h"
#include "state.h"

#include <exception>

namespace kinstr::rt
{
namespace
{

/// Runs `body` under the lock. No exception leaves.
template <typename Body>
int guarded(Body body)
{
  process_state &p = the_process();
  if (p.finished || in_forked_child(p))
  {
    return cudaErrorNotPermitted;
  }
  try
  {
    const std::lock_guard<std::mutex> lock(p.mutex);
    const error_guard errors;
    return body(p);
  }
  catch (const std::exception &e)
  {
    report(severity::error, "%s", e.what());
    return cudaErrorMemoryAllocation;
  }
}

/// Brings all attached devices to what `started` and the window ask for.
int switch_devices(process_state &p)
{
  const device_guard device;

  int result = cudaSuccess;
  for (const std::unique_ptr<device_entry> &d : p.devices)
  {
    if (d->attached)
    {
      cudaError_t error = enter(*d);
      if (error == cudaSuccess)
      {
        error = switch_now(p, *d, is_selected(p, p.committed));
      }
      result = error != cudaSuccess ? error : result;
    }
  }
  return result;
}

int flush(process_state &p)
{
  const int drained = drain(p, patience::endless);
  const int cleared = clear_records(p, patience::endless);
  return drained != 0 ? drained : cleared;
}

} // namespace

void attach_at_load()
{
  process_state &p = the_process();
  if (!p.settings.attach.at_load)
  {
    return;
  }
  guarded(
      [](process_state &p) -> int
      {
        int ordinal = 0;
        if (const cudaError_t error = cudaGetDevice(&ordinal))
        {
          report(severity::warning, "attach=load: no device to attach to: %s",
                 cudaGetErrorString(error));
          return error;
        }
        attach(p, ordinal, is_selected(p, p.committed));
        return cudaSuccess;
      });
}

} // namespace kinstr::rt

using namespace kinstr::rt;

extern "C" int kinstr_start(void)
{
  return guarded(
      [](process_state &p) -> int
      {
        p.started   = true;
        int ordinal = 0;
        if (const cudaError_t error = cudaGetDevice(&ordinal))
        {
          return error;
        }
        cudaError_t why = cudaSuccess;
        if (attach(p, ordinal, is_selected(p, p.committed), &why) == nullptr)
        {
          return why;
        }
        return switch_devices(p);
      });
}

extern "C" int kinstr_stop(void)
{
  return guarded(
      [](process_state &p) -> int
      {
        p.started = false;
        return switch_devices(p);
      });
}

extern "C" int kinstr_flush(void) { return guarded(flush); }

extern "C" void kinstr_context_ends(void *context)
{
  guarded(
      [context](process_state &p) -> int
      {
        for (const std::unique_ptr<device_entry> &d : p.devices)
        {
          if (d->attached && !d->primary && d->context.handle == context)
          {
            keep_records(p, *d);
            forget(p, *d);
          }
        }
        return cudaSuccess;
      });
}

extern "C" cudaError_t kinstr_device_reset(void)
{
  guarded(
      [](process_state &p) -> int
      {
        drain(p, patience::exit_wait);
        int ordinal = 0;
        if (cudaGetDevice(&ordinal) == cudaSuccess)
        {
          for (const std::unique_ptr<device_entry> &d : p.devices)
          {
            if (d->ordinal == ordinal && d->primary)
            {
              forget(p, *d);
            }
          }
        }
        return clear_records(p, patience::exit_wait);
      });
  return cudaDeviceReset();
}
