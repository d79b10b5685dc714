// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Switching recording on and off between launches, exactly and without stopping the host.
//
// What the kernels read is a constant that all streams share, so a switch needs an order: the work
// queued so far, then the new value, then the work queued later. There are three ways to get it:
//
// 1. An event of the whole context (drivers from 12.5 on). It covers all streams, also those that
//    kinstr never saw, and touches none: a stream handle seen at an earlier launch may be dead by
//    now.
// 2. Elsewhere, an event of the default stream, which covers all streams that synchronise with it,
// and
//    one of the stream being launched into. Not ordered: launches still running in *other* streams
//    created with cudaStreamNonBlocking; the trace may hold a part of them. Later launches in any
//    stream wait for the switch, each at its own next launch.
// 3. In a stream capture nothing can be ordered. The value is written at once, and that is said.
//
// 1. would invalidate a capture running in some other stream, so it is not used once a launch into
// a capture has been seen.
//
// Threads: the order is that of the calls below. A launch happens a moment after its call, and
// another thread may come in between with a switch; at the edges of a window such a launch is on
// the other side.
//
// A stream argument of 0 may mean the per-thread default stream, depending on how the program's
// file was compiled. That stream synchronises with the default stream, so it is ordered either way.
#include "contexts.h"
#include "guards.h"
#include "messages.h"
#include "state.h"

namespace kinstr::rt
{
namespace
{

/// Whether `stream` is being captured. Asked of the default stream it also covers captures in
/// streams that synchronise with it, and does not disturb them.
bool is_capturing(cudaStream_t stream)
{
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) != cudaSuccess ||
         status != cudaStreamCaptureStatusNone;
}

/// Makes the runtime's own stream wait for what `stream` holds now.
void wait_for_stream(device_entry &d, cudaStream_t stream)
{
  if (cudaEventRecord(d.before, stream) == cudaSuccess)
  {
    cudaStreamWaitEvent(d.stream, d.before, 0);
  }
}

cudaError_t write_now(process_state &p, device_entry &d, bool on)
{
  write_states(p, d, 0, d.unwritable.size(), on);
  return cudaEventRecord(d.after, d.stream);
}

/// Way 1. cudaErrorNotSupported: nothing was done.
cudaError_t switch_context(process_state &p, device_entry &d, bool on)
{
  if (d.capture_seen || !record_in_context(d.before))
  {
    return cudaErrorNotSupported;
  }
  cudaStreamWaitEvent(d.stream, d.before, 0);
  const cudaError_t error = write_now(p, d, on);
  wait_in_context(d.after);
  d.order_lazily = true; // for streams created between here and the switch
  return error;
}

/// Way 2.
cudaError_t switch_streams(process_state &p, device_entry &d, bool on,
                           const cudaStream_t *launching)
{
  wait_for_stream(d, cudaStreamLegacy);
  if (launching != nullptr)
  {
    wait_for_stream(d, *launching);
  }
  d.order_lazily = true;
  return write_now(p, d, on);
}

/// Way 3.
cudaError_t switch_unordered(process_state &p, device_entry &d, bool on)
{
  static bool said = false;
  if (!said)
  {
    said = true;
    report(
        severity::warning,
        "recording is switched %s during a stream capture: launches still running may be recorded "
        "in part",
        on ? "on" : "off");
  }
  const cudaError_t error = write_now(p, d, on);
  return error == cudaSuccess ? cudaStreamSynchronize(d.stream) : error;
}

/// `launching`: the stream that is about to be launched into; null: none.
cudaError_t switch_recording(process_state &p, device_entry &d, bool on,
                             const cudaStream_t *launching, bool capturing)
{
  const relaxed_capture_guard relaxed;
  d.recording = on;
  if (capturing || is_capturing(cudaStreamLegacy))
  {
    return switch_unordered(p, d, on);
  }
  const cudaError_t error = switch_context(p, d, on);
  return error == cudaErrorNotSupported ? switch_streams(p, d, on, launching) : error;
}

/// The part of a switch that is left for each stream's next launch.
void order_after_switch(device_entry &d, cudaStream_t stream)
{
  const relaxed_capture_guard relaxed;
  if (cudaEventQuery(d.after) == cudaSuccess)
  {
    d.order_lazily = false;
    return;
  }
  cudaStreamWaitEvent(stream, d.after, 0);
}

} // namespace

bool is_selected(const process_state &p, std::uint64_t launch)
{
  return p.started && p.settings.launches.contains(launch);
}

bool switch_for_launch(process_state &p, device_entry &d, bool on, cudaStream_t stream)
{
  const bool capturing = is_capturing(stream);
  d.capture_seen       = d.capture_seen || capturing;
  if (d.recording != on)
  {
    switch_recording(p, d, on, &stream, capturing);
  }
  if (d.order_lazily && !capturing)
  {
    order_after_switch(d, stream);
  }
  return capturing;
}

bool switch_segment(process_state &p, device_entry &d, std::size_t segment)
{
  const relaxed_capture_guard relaxed;
  const std::size_t before = d.current;
  d.current                = segment;
  if (is_capturing(cudaStreamLegacy) || switch_context(p, d, true) == cudaErrorNotSupported)
  {
    d.current = before;
    return false;
  }
  d.recording = true;
  return true;
}

bool record_all_streams(const device_entry &d, cudaEvent_t event)
{
  return !d.capture_seen && !is_capturing(cudaStreamLegacy) && record_in_context(event);
}

bool record_all_work(cudaEvent_t event)
{
  return record_in_context(event) || cudaEventRecord(event, cudaStreamLegacy) == cudaSuccess;
}

cudaError_t switch_now(process_state &p, device_entry &d, bool on)
{
  return d.recording == on ? cudaSuccess : switch_recording(p, d, on, nullptr, false);
}

} // namespace kinstr::rt
