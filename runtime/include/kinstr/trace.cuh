// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rewritten file includes. With -DKINSTR_OFF every macro below expands to nothing (or to the
// user's own text), and the machine code is the original's.
#ifndef KINSTR_TRACE_CUH
#define KINSTR_TRACE_CUH

#ifdef KINSTR_OFF

#  define KINSTR_KERNEL(...)
#  define KINSTR_MARK(...)
#  define KINSTR_BEGIN
#  define KINSTR_END
#  define KINSTR_GRID(SITE, KERNEL, ...) __VA_ARGS__
#  define KINSTR_BLOCK(SITE, ...) __VA_ARGS__
#  define KINSTR_SHARED(SITE, ...) __VA_ARGS__
#  define KINSTR_STREAM(SITE, ...) __VA_ARGS__
#  define KINSTR_cudaDeviceReset cudaDeviceReset

#else

#  include <kinstr/detail/launch.cuh>
#  include <kinstr/detail/recorder.cuh>

/// First in a traced kernel: the recorder, a local whose destructor flushes at every exit.
///   ID       index of the kernel in this file's tables
///   BUFFER   shared | shared1024 | global: where events wait
///   LAYOUT   slots | stream: one slot a site, or a list of events
///   FLOW     uniform | divergent: what the tool could prove about the lanes of a warp
///   SITES    number of sites
///   ...      most threads a block can have
#  define KINSTR_KERNEL(ID, BUFFER, LAYOUT, FLOW, SITES, ...)                                      \
    ::kinstr::recorder<ID, ::kinstr::buffer::BUFFER, ::kinstr::layout::LAYOUT,                     \
                       ::kinstr::flow::FLOW, SITES, (__VA_ARGS__)>                                 \
        kinstr_recorder;

/// A site: KINSTR_MARK(index), or KINSTR_MARK(index, loads | stores) to wait for this warp's
/// outstanding memory accesses before the clock is read.
#  define KINSTR_MARK(...)                                                                         \
    KINSTR_MARK_PICK(__VA_ARGS__, KINSTR_MARK_DRAIN, KINSTR_MARK_PLAIN, )(__VA_ARGS__)
#  define KINSTR_MARK_PICK(A, B, NAME, ...) NAME
#  define KINSTR_MARK_PLAIN(SITE) kinstr_recorder.template mark<SITE>();
#  define KINSTR_MARK_DRAIN(SITE, WHAT)                                                            \
    ::kinstr::drain_##WHAT();                                                                      \
    kinstr_recorder.template mark<SITE>();

/// Braces around a statement that had none, so that a mark can stand beside it.
#  define KINSTR_BEGIN {
#  define KINSTR_END }

/// Launch arguments: the runtime learns of the launch just before it happens. Each yields its own
/// argument, so that everything an argument may be (a braced list, say) stays allowed.
#  define KINSTR_GRID(SITE, KERNEL, ...)                                                           \
    ::kinstr::launch_grid(SITE, ::kinstr::function_address(KERNEL), __VA_ARGS__)
#  define KINSTR_BLOCK(SITE, ...) ::kinstr::launch_block(SITE, __VA_ARGS__)
#  define KINSTR_SHARED(SITE, ...) ::kinstr::launch_shared(SITE, __VA_ARGS__)
#  define KINSTR_STREAM(SITE, ...) ::kinstr::launch_stream(SITE, __VA_ARGS__)

/// cudaDeviceReset() destroys the arena: write the trace first.
#  define KINSTR_cudaDeviceReset kinstr_device_reset

#endif // KINSTR_OFF

#endif // KINSTR_TRACE_CUH
