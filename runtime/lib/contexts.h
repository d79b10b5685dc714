// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA contexts, which the runtime API has no name for: the driver's functions about them.
#ifndef KINSTR_LIB_CONTEXTS_H
#define KINSTR_LIB_CONTEXTS_H

#include <cuda_runtime_api.h>

namespace kinstr::rt
{

struct device_entry;

/// A context. Handles come back after cuCtxDestroy(), numbers do not.
struct context_ref
{
  void *handle          = nullptr; ///< CUcontext; null: the primary one of whatever device
  unsigned long long id = 0;
};

/// The calling thread's. Null: it has none yet, or the driver cannot tell (before 12.5).
context_ref current_context();

/// The one that the calling thread is about to launch in, on the current device, `ordinal`: where
/// it has none, the primary one, as for the launch itself. Null: the driver cannot tell.
context_ref launching_context(int ordinal);

/// Whether that is the primary one of its device. Leaves it the current one.
bool is_primary(const context_ref &c, int ordinal);

/// False: the driver does not have the function.
bool make_current(void *handle);

/// The number of the allocation at `memory`, which no later one gets; 0: unknown.
unsigned long long memory_number(const void *memory);

/// Makes the context of `d` the current one. An error means that its memory can no longer be read:
/// cudaErrorContextIsDestroyed, or one that stays.
cudaError_t enter(const device_entry &d);

/// The driver's cuCtxRecordEvent and cuCtxWaitEvent, from 12.5 on, for the current context. False:
/// nothing was done.
bool record_in_context(cudaEvent_t event);
bool wait_in_context(cudaEvent_t event);

} // namespace kinstr::rt

#endif // KINSTR_LIB_CONTEXTS_H
