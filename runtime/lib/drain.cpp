// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the arenas to the file.
#include "guards.h"
#include "messages.h"
#include "meta.h"
#include "state.h"
#include "writer.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <errno.h> // program_invocation_short_name
#include <new>
#include <thread>
#include <unistd.h>

namespace kinstr::rt
{
namespace
{

struct harvest
{
  std::vector<region_copy> regions;
  trace_totals totals;
};

using clock      = std::chrono::steady_clock;
using time_limit = clock::time_point;

constexpr time_limit no_limit = time_limit::max();

time_limit limit_from_now(const process_state &p, patience how)
{
  return how == patience::endless ? no_limit
                                  : clock::now() + std::chrono::seconds(p.settings.exit_wait.count);
}

/// Makes `d` the current device. An error means that its memory can no longer be read.
cudaError_t enter_device(const device_entry &d)
{
  if (const cudaError_t error = cudaSetDevice(d.ordinal))
  {
    return error;
  }
  // A cudaDeviceReset() in a file that was not rewritten took the arena along. The pointer may be
  // asked about; streams and events could not.
  cudaPointerAttributes attributes;
  if (const cudaError_t error = cudaPointerGetAttributes(&attributes, d.heads))
  {
    return error;
  }
  return attributes.type == cudaMemoryTypeDevice ? cudaSuccess : cudaErrorContextIsDestroyed;
}

/// Asks until the answer is not cudaErrorNotReady any more, or the limit is reached.
template <typename Query>
cudaError_t poll_until(time_limit limit, Query query)
{
  cudaError_t answer = query();
  while (answer == cudaErrorNotReady && clock::now() < limit)
  {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    answer = query();
  }
  return answer;
}

/// Waits for the current device, `d`. cudaErrorNotReady: it is still busy at the limit. Any other
/// error means that its memory can no longer be read.
cudaError_t wait_for_device(const device_entry &d, time_limit limit)
{
  // cudaDeviceSynchronize() knows no limit, so it comes last, when little can be left to wait for.
  if (limit != no_limit && record_all_work(d.before))
  {
    if (const cudaError_t error = poll_until(limit, [&] { return cudaEventQuery(d.before); }))
    {
      return error;
    }
  }
  return cudaDeviceSynchronize();
}

/// Copies to the host, on the current device.
class copier
{
  const device_entry &d_;
  bool busy_; ///< kernels still run: wait for nothing that may depend on them

public:
  copier(const device_entry &d, bool busy) : d_(d), busy_(busy) {}

  cudaError_t copy(void *to, const void *from, std::size_t size) const
  {
    return busy_ ? copy_beside_kernels(to, from, size) : copy_when_idle(to, from, size);
  }

private:
  cudaError_t copy_when_idle(void *to, const void *from, std::size_t size) const
  {
    // Not cudaMemcpy(): it would go through the default stream.
    const cudaError_t error = cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, d_.stream);
    return error == cudaSuccess ? cudaStreamSynchronize(d_.stream) : error;
  }

  /// By way of pinned memory, because a copy to any other keeps the host waiting. The stream has
  /// nothing to wait for but a switch of the whole context (recording.cpp) that is queued behind
  /// the kernels; then this gives up.
  cudaError_t copy_beside_kernels(void *to, const void *from, std::size_t size) const
  {
    cudaError_t error = cudaSuccess;
    for (std::size_t at = 0; error == cudaSuccess && at < size; at += device_entry::staging_bytes)
    {
      const std::size_t part = std::min(size - at, device_entry::staging_bytes);

      error = cudaMemcpyAsync(d_.staging, static_cast<const char *>(from) + at, part,
                              cudaMemcpyDeviceToHost, d_.busy_stream);
      if (error == cudaSuccess)
      {
        error = poll_until(clock::now() + std::chrono::seconds(2),
                           [this] { return cudaStreamQuery(d_.busy_stream); });
      }
      if (error == cudaSuccess)
      {
        std::memcpy(static_cast<char *>(to) + at, d_.staging, part);
      }
    }
    return error;
  }
};

cudaError_t copy_region(const device_entry &d, const copier &c, region_header header,
                        const region_head &head, harvest &h)
{
  if (head.dropped_records != 0 || head.dropped_events != 0)
  {
    h.totals.dropped.push_back(
        {header.device, header.sm, head.dropped_records, head.dropped_events});
  }
  const std::size_t size = head.next < d.arena.region_words ? head.next : d.arena.region_words;
  if (size == 0)
  {
    return cudaSuccess;
  }
  region_copy r{header, size, std::unique_ptr<std::uint32_t[]>(new std::uint32_t[size])};

  const std::uint32_t *from = d.data + std::size_t{header.sm} * d.arena.region_words;
  if (const cudaError_t error = c.copy(r.words.get(), from, size * sizeof *from))
  {
    return error;
  }
  const record_counts counts = count_records(r.words.get(), size);
  h.totals.records += counts.records;
  h.totals.events += counts.events;
  h.regions.push_back(std::move(r));
  return cudaSuccess;
}

cudaError_t copy_regions(const device_entry &d, const copier &c, std::uint32_t position, harvest &h)
{
  std::vector<region_head> heads(d.arena.regions);
  if (const cudaError_t error = c.copy(heads.data(), d.heads, heads.size() * sizeof(region_head)))
  {
    return error;
  }
  for (std::uint32_t sm = 0; sm < d.arena.regions; ++sm)
  {
    if (const cudaError_t error = copy_region(d, c, {position, sm}, heads[sm], h))
    {
      return error;
    }
  }
  return cudaSuccess;
}

cudaError_t harvest_device(const process_state &p, std::uint32_t position, time_limit limit,
                           harvest &h)
{
  const device_entry &d = *p.devices[position];
  if (const cudaError_t error = enter_device(d))
  {
    return error;
  }
  const cudaError_t error = wait_for_device(d, limit);
  if (error != cudaSuccess && error != cudaErrorNotReady)
  {
    return error;
  }
  const bool busy = error == cudaErrorNotReady;
  if (busy)
  {
    report(severity::warning,
           "device %d is still busy after %llu s (exit_wait in KINSTR_OPTIONS): what its kernels "
           "record from now on is lost",
           d.ordinal, static_cast<unsigned long long>(p.settings.exit_wait.count));
  }
  return copy_regions(d, copier(d, busy), position, h);
}

/// All attached devices. What cannot be read is said and left out. Returns the first error.
cudaError_t harvest_devices(const process_state &p, patience how, harvest &h)
{
  const time_limit limit = limit_from_now(p, how);
  cudaError_t first      = cudaSuccess;
  for (std::uint32_t i = 0; i < p.devices.size(); ++i)
  {
    const device_entry &d = *p.devices[i];
    if (!d.attached)
    {
      continue;
    }
    if (const cudaError_t error = harvest_device(p, i, limit, h))
    {
      report(severity::error, "the records of device %d are lost: %s", d.ordinal,
             cudaGetErrorString(error));
      first = first == cudaSuccess ? error : first;
    }
  }
  return first;
}

struct output_path
{
  std::string absolute;
  std::string shown; ///< as the user named it, where that still leads there
};

output_path make_path(const process_state &p)
{
  const std::string path =
      numbered(expand(p.settings.out, ::getpid(), program_invocation_short_name), p.files_written);
  if (path[0] == '/' || p.start_folder.empty())
  {
    return {path, path};
  }
  const std::string absolute = p.start_folder + '/' + path;
  char folder[4096];
  const bool moved = ::getcwd(folder, sizeof folder) == nullptr || folder != p.start_folder;
  return {absolute, moved ? absolute : path};
}

/// The file, and the line that says what is in it. Returns 0 or -1.
int write_file(process_state &p, const harvest &h)
{
  const output_path path = make_path(p);
  if (const int error = write_trace(path.absolute, write_meta(p, h.totals), h.regions))
  {
    report(severity::error, "cannot write '%s': %s", path.shown.c_str(), std::strerror(error));
    return -1;
  }
  ++p.files_written;
  const std::string listed = p.launches_not_listed == 0
                                 ? std::string()
                                 : " (" + std::to_string(p.launches.size()) + " of them listed)";
  report(severity::note, "%s: %s%s, %s, %llu dropped%s", path.shown.c_str(),
         counted(p.launches.size() + p.launches_not_listed, "launch", "launches").c_str(),
         listed.c_str(), counted(h.totals.events, "event", "events").c_str(),
         static_cast<unsigned long long>(h.totals.dropped_events()),
         h.totals.dropped.empty() ? "" : " (raise buffer_mb in KINSTR_OPTIONS)");
  return 0;
}

bool any_attached(const process_state &p)
{
  for (const std::unique_ptr<device_entry> &d : p.devices)
  {
    if (d->attached)
    {
      return true;
    }
  }
  return false;
}

} // namespace

int drain(process_state &p, patience how)
{
  if (!any_attached(p))
  {
    return 0;
  }
  const error_guard errors;
  const device_guard device;
  const relaxed_capture_guard relaxed;

  harvest h;
  const cudaError_t error = harvest_devices(p, how, h);

  // After a flush or reset only something new is worth another file.
  const bool nothing = p.launches.empty() && h.regions.empty() && h.totals.dropped.empty();
  if (nothing && p.files_written > 0)
  {
    return error;
  }
  const int written = write_file(p, h);
  return error != cudaSuccess ? error : written;
}

int clear_records(process_state &p, patience how)
{
  const error_guard errors;
  const device_guard device;
  const relaxed_capture_guard relaxed;

  p.launches.clear();
  p.launches_not_listed  = 0;
  const time_limit limit = limit_from_now(p, how);
  int result             = 0;
  for (const std::unique_ptr<device_entry> &d : p.devices)
  {
    if (!d->attached)
    {
      continue;
    }
    cudaError_t error = enter_device(*d);
    if (error == cudaSuccess)
    {
      error = wait_for_device(*d, limit);
    }
    if (error == cudaSuccess)
    {
      error = clear_arena(*d);
    }
    result = error != cudaSuccess ? error : result;
  }
  return result;
}

} // namespace kinstr::rt
