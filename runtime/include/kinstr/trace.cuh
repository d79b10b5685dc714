// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a rewritten file includes. With -DKINSTR_OFF every macro below expands to nothing (or to the
// user's own text), and the machine code is the original's.
#ifndef KINSTR_TRACE_CUH
#define KINSTR_TRACE_CUH

#ifdef KINSTR_OFF

#  define KINSTR_KERNEL(...)
#  define KINSTR_BODY(...)
#  define KINSTR_RUN
#  define KINSTR_RUN_TWIN
#  define KINSTR_FUNCTION(...)
#  define KINSTR_MARK(SITE)
#  define KINSTR_MARK_DRAIN(SITE)
#  define KINSTR_MARK_DRAIN_STORES(SITE)
#  define KINSTR_VALUE(SITE, ...)
#  define KINSTR_SCOPE(BEGIN, END)
#  define KINSTR_SCOPE_DRAIN(BEGIN, END)
#  define KINSTR_SCOPE_DRAIN_STORES(BEGIN, END)
#  define KINSTR_BEGIN
#  define KINSTR_END
#  define KINSTR_GRID(SITE, KERNEL, ...) __VA_ARGS__
#  define KINSTR_BLOCK(SITE, ...) __VA_ARGS__
#  define KINSTR_SHARED(SITE, ...) __VA_ARGS__
#  define KINSTR_STREAM(SITE, ...) __VA_ARGS__
#  define KINSTR_CALL(SITE)
#  define KINSTR_ATTACH
#  define KINSTR_CONTEXT
#  define KINSTR_cudaDeviceReset cudaDeviceReset

#else

#  include <kinstr/detail/launch.cuh>
#  include <kinstr/detail/recorder.cuh>

/// First in a traced kernel: the recorder, a local whose destructor flushes at every exit.
///   ID       index of the kernel in this file's tables
///   BUFFER   shared | shared1024 | lanes | global: where events wait
///   LAYOUT   slots | stream: one slot a site, or a list of events
///   FLOW     uniform | warprows | divergent: what the tool could prove about the lanes of a warp
///   SITES    number of sites
///   ...      most threads a block can have
#  define KINSTR_KERNEL(ID, BUFFER, LAYOUT, FLOW, SITES, ...)                                      \
    ::kinstr::kinstr_recorder_of<::kinstr::kinstr_buffer::kinstr_##BUFFER,                         \
                                 ::kinstr::kinstr_layout::kinstr_##LAYOUT,                         \
                                 ::kinstr::kinstr_flow::kinstr_##FLOW, ID, SITES, (__VA_ARGS__)>   \
        kinstr_recorder;

/// The same where the kernel's body is to be in the program several times (detail/body.cuh): it
/// becomes a function of the recorder. Last in the body, the calls of it; KINSTR_RUN_TWIN: one of
/// them without marks, for blocks that do not record.
#  define KINSTR_BODY(ID, BUFFER, LAYOUT, FLOW, SITES, ...)                                        \
    using kinstr_recorder_type = ::kinstr::kinstr_recorder_of<                                     \
        ::kinstr::kinstr_buffer::kinstr_##BUFFER, ::kinstr::kinstr_layout::kinstr_##LAYOUT,        \
        ::kinstr::kinstr_flow::kinstr_##FLOW, ID, SITES, (__VA_ARGS__)>;                           \
    const auto kinstr_body =                                                                       \
        [&](const ::kinstr::kinstr_body_recorder<kinstr_recorder_type> kinstr_recorder)            \
            __attribute__((always_inline)) {
#  define KINSTR_RUN                                                                               \
    }                                                                                              \
    ;                                                                                              \
    ::kinstr::kinstr_run<kinstr_recorder_type>(kinstr_body);
#  define KINSTR_RUN_TWIN                                                                          \
    }                                                                                              \
    ;                                                                                              \
    ::kinstr::kinstr_run_twin<kinstr_recorder_type>(kinstr_body);

/// First in any other function that is traced: the recorder of one activation.
///   FLOW          as above
///   NESTING       leaf | once | recursive: whether the function may call others that are traced,
///                 and itself
///   FIRST, SITES  number of its first site in the module, and how many it has
#  define KINSTR_FUNCTION(FLOW, NESTING, FIRST, SITES)                                             \
    ::kinstr::kinstr_callee_of<::kinstr::kinstr_flow::kinstr_##FLOW,                               \
                               ::kinstr::kinstr_nesting::kinstr_##NESTING, FIRST, SITES>           \
        kinstr_recorder;

/// A site, by its number. The other two wait for this warp's outstanding loads, or for its stores,
/// before the clock is read.
#  define KINSTR_MARK(SITE) kinstr_recorder.template kinstr_mark<SITE>();
#  define KINSTR_MARK_DRAIN(SITE)                                                                  \
    ::kinstr::kinstr_drain_loads();                                                                \
    kinstr_recorder.template kinstr_mark<SITE>();
#  define KINSTR_MARK_DRAIN_STORES(SITE)                                                           \
    ::kinstr::kinstr_drain_stores();                                                               \
    kinstr_recorder.template kinstr_mark<SITE>();

/// A site that records a number too: an expression's value in the lane that records.
#  define KINSTR_VALUE(SITE, ...)                                                                  \
    static_assert(::kinstr::kinstr_is_number<decltype((__VA_ARGS__))>::value,                      \
                  "kinstr: a value has to be a number");                                           \
    kinstr_recorder.template kinstr_value<SITE>((__VA_ARGS__));

/// First in the braces around a statement: passes the one site there, and the other wherever the
/// statement is left. Likewise.
#  define KINSTR_SCOPE(BEGIN, END)                                                                 \
    ::kinstr::kinstr_scope<decltype(kinstr_recorder), BEGIN, END> kinstr_scope_##BEGIN(            \
        kinstr_recorder);
#  define KINSTR_SCOPE_DRAIN(BEGIN, END)                                                           \
    ::kinstr::kinstr_scope<decltype(kinstr_recorder), BEGIN, END, ::kinstr::kinstr_drain_loads>    \
        kinstr_scope_##BEGIN(kinstr_recorder);
#  define KINSTR_SCOPE_DRAIN_STORES(BEGIN, END)                                                    \
    ::kinstr::kinstr_scope<decltype(kinstr_recorder), BEGIN, END, ::kinstr::kinstr_drain_stores>   \
        kinstr_scope_##BEGIN(kinstr_recorder);

/// Braces around a statement that had none, so that a mark can stand beside it.
#  define KINSTR_BEGIN {
#  define KINSTR_END }

/// Launch arguments: the runtime learns of the launch just before it happens. Each yields its own
/// argument, so that everything an argument may be (a braced list, say) stays allowed.
#  define KINSTR_GRID(SITE, KERNEL, ...)                                                           \
    ::kinstr::kinstr_grid(SITE, ::kinstr::kinstr_function(KERNEL), __VA_ARGS__)
#  define KINSTR_BLOCK(SITE, ...) ::kinstr::kinstr_block(SITE, __VA_ARGS__)
#  define KINSTR_SHARED(SITE, ...) ::kinstr::kinstr_shared(SITE, __VA_ARGS__)
#  define KINSTR_STREAM(SITE, ...) ::kinstr::kinstr_stream(SITE, __VA_ARGS__)

/// In front of the first argument of a call such as cudaLaunchKernel(): says from which line the
/// next launch is. An operator, and that with the highest precedence of all that take two operands,
/// so that it needs no end.
#  define KINSTR_CALL(SITE) ::kinstr::kinstr_call{SITE}->*

/// The same for launches by the driver's API, of which the runtime learns nothing more.
#  define KINSTR_ATTACH ::kinstr::kinstr_driver_call{}->*

/// In front of the argument of cuCtxDestroy(): the context's records are taken first.
#  define KINSTR_CONTEXT ::kinstr::kinstr_context_call{}->*

/// cudaDeviceReset() destroys the arena: write the trace first.
#  define KINSTR_cudaDeviceReset kinstr_device_reset

#  include <kinstr/detail/calibrate.cuh>

#endif // KINSTR_OFF

#endif // KINSTR_TRACE_CUH
