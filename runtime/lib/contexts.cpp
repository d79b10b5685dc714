// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's functions are asked for by name: programs need not be linked with the driver.
#include "contexts.h"

#include "guards.h"
#include "state.h"

#include <cstdint>

namespace kinstr::rt
{
namespace
{

/// All null where one of those about contexts is missing.
struct driver_functions
{
  int (*get_current)(void **)                               = nullptr;
  int (*set_current)(void *)                                = nullptr;
  int (*get_id)(void *, unsigned long long *)               = nullptr;
  int (*primary_state)(int, unsigned *, int *)              = nullptr;
  int (*pointer_attribute)(void *, int, unsigned long long) = nullptr;
  int (*record_event)(void *, cudaEvent_t) = nullptr; ///< null: the driver is older than 12.5
  int (*wait_event)(void *, cudaEvent_t)   = nullptr; ///< likewise

  driver_functions()
  {
    if (!find("cuCtxGetCurrent", 12000, get_current) ||
        !find("cuCtxSetCurrent", 12000, set_current) || !find("cuCtxGetId", 12000, get_id) ||
        !find("cuDevicePrimaryCtxGetState", 12000, primary_state) ||
        !find("cuPointerGetAttribute", 12000, pointer_attribute))
    {
      get_current = nullptr;
    }
    if (!find("cuCtxRecordEvent", 12050, record_event) ||
        !find("cuCtxWaitEvent", 12050, wait_event))
    {
      record_event = nullptr;
    }
  }

private:
  template <typename Function>
  static bool find([[maybe_unused]] const char *name, [[maybe_unused]] unsigned version,
                   [[maybe_unused]] Function &function)
  {
#if CUDART_VERSION >= 12050
    void *address                          = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    if (cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &result) !=
            cudaSuccess ||
        result != cudaDriverEntryPointSuccess)
    {
      return false;
    }
    function = reinterpret_cast<Function>(address);
    return address != nullptr;
#else
    return false;
#endif
  }
};

const driver_functions &driver()
{
  static const driver_functions functions;
  return functions;
}

/// Whether memory of `d`, and not somebody else's, is still there: it goes with its context, and
/// pointers may be asked about; streams, events and the context itself could not.
cudaError_t look_for_memory(const device_entry &d)
{
  cudaPointerAttributes attributes;
  if (const cudaError_t error = cudaPointerGetAttributes(&attributes, d.segments[0].heads))
  {
    return error;
  }
  const cudaMemoryType ours    = d.host_arena ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
  const unsigned long long now = memory_number(d.staging);
  const bool another           = now != 0 && d.memory_id != 0 && now != d.memory_id;
  return attributes.type == ours && !another ? cudaSuccess : cudaErrorContextIsDestroyed;
}

} // namespace

context_ref current_context()
{
  context_ref c;
  if (driver().get_current == nullptr || driver().get_current(&c.handle) != 0 ||
      c.handle == nullptr || driver().get_id(c.handle, &c.id) != 0)
  {
    return {};
  }
  return c;
}

context_ref launching_context(int ordinal)
{
  const context_ref c = current_context();
  if (c.handle != nullptr || driver().get_current == nullptr)
  {
    return c;
  }
  const relaxed_capture_guard relaxed;
  cudaSetDevice(ordinal);
  cudaFree(nullptr); // creates it
  return current_context();
}

bool is_primary(const context_ref &c, int ordinal)
{
  unsigned flags = 0;
  int active     = 0;
  if (c.handle == nullptr)
  {
    return true;
  }
  // An inactive one would be created by what follows.
  if (driver().primary_state(ordinal, &flags, &active) != 0 || active == 0)
  {
    return false;
  }
  cudaSetDevice(ordinal);
  const context_ref primary = current_context();
  make_current(c.handle);
  return primary.id == c.id;
}

bool make_current(void *handle)
{
  return driver().get_current != nullptr && driver().set_current(handle) == 0;
}

unsigned long long memory_number(const void *memory)
{
  constexpr int buffer_id = 7; // CU_POINTER_ATTRIBUTE_BUFFER_ID
  unsigned long long id   = 0;
  const auto address      = reinterpret_cast<std::uintptr_t>(memory);
  return driver().get_current != nullptr && driver().pointer_attribute(&id, buffer_id, address) == 0
             ? id
             : 0;
}

cudaError_t enter(const device_entry &d)
{
  if (d.primary)
  {
    const cudaError_t error = cudaSetDevice(d.ordinal);
    return error == cudaSuccess ? look_for_memory(d) : error;
  }
  if (current_context().handle == nullptr)
  {
    cudaSetDevice(d.ordinal);
  }
  // A context that was destroyed must not even be made the current one.
  const cudaError_t error = look_for_memory(d);
  return error == cudaSuccess && !make_current(d.context.handle) ? cudaErrorContextIsDestroyed
                                                                 : error;
}

bool record_in_context(cudaEvent_t event)
{
  void *const context = driver().record_event != nullptr ? current_context().handle : nullptr;
  return context != nullptr && driver().record_event(context, event) == 0;
}

bool wait_in_context(cudaEvent_t event)
{
  void *const context = driver().record_event != nullptr ? current_context().handle : nullptr;
  return context != nullptr && driver().wait_event(context, event) == 0;
}

} // namespace kinstr::rt
