// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the arenas to the file.
#include "digest.h"
#include "guards.h"
#include "messages.h"
#include "meta.h"
#include "state.h"
#include "writer.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <errno.h> // program_invocation_short_name
#include <memory>
#include <new>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace kinstr::rt
{

/// What goes to the file.
struct harvest
{
  std::vector<region_copy> regions;
  trace_totals totals;

  /// A region has one row, however many segments it is in.
  void add_loss(region_header r, std::uint64_t records, std::uint64_t events)
  {
    if (records == 0 && events == 0)
    {
      return;
    }
    for (region_loss &l : totals.dropped)
    {
      if (l.device == r.device && l.sm == r.sm)
      {
        l.records += records;
        l.events += events;
        return;
      }
    }
    totals.dropped.push_back({r.device, r.sm, records, events});
  }

  void add(std::vector<region_digest> digested)
  {
    for (region_digest &d : digested)
    {
      totals.records += d.counts.records;
      totals.events += d.counts.events;
      regions.push_back(std::move(d.region));
    }
  }
};

namespace
{

using clock      = std::chrono::steady_clock;
using time_limit = clock::time_point;

constexpr time_limit no_limit = time_limit::max();

time_limit limit_from_now(const process_state &p, patience how)
{
  return how == patience::endless ? no_limit
                                  : clock::now() + std::chrono::seconds(p.settings.exit_wait.count);
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

  /// Words of a region.
  std::size_t used(const region_head &head, const std::uint32_t *, std::size_t most) const
  {
    return head.next < most ? head.next : most;
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

/// The same from pinned memory, without a CUDA call.
struct host_copier
{
  bool intact; ///< the kernels came to their end

  cudaError_t copy(void *to, const void *from, std::size_t size) const
  {
    std::memcpy(to, from, size);
    return cudaSuccess;
  }

  /// Of a device that hangs or is lost, the heads may not have arrived.
  std::size_t used(const region_head &head, const std::uint32_t *words, std::size_t most) const
  {
    if (!intact)
    {
      return written_words(words, most);
    }
    return head.next < most ? head.next : most;
  }
};

/// Segments from the oldest on: readers take what stands before to have been reserved before.
std::vector<const arena_segment *> in_order(const device_entry &d)
{
  std::vector<const arena_segment *> segments;
  for (std::size_t i = 1; i <= d.segments.size(); ++i)
  {
    segments.push_back(&d.segments[(d.current + i) % d.segments.size()]);
  }
  return segments;
}

/// Memory for all of a segment, in large pages where the system has them: touching it first is
/// most of what a copy costs.
std::shared_ptr<std::uint32_t[]> allocate_words(std::size_t count)
{
  constexpr std::size_t page = 1u << 21;
  const std::size_t bytes    = (count * sizeof(std::uint32_t) + page - 1) / page * page;
  void *const memory         = std::aligned_alloc(page, bytes);
  if (memory == nullptr)
  {
    throw std::bad_alloc();
  }
  ::madvise(memory, bytes, MADV_HUGEPAGE);
  return {static_cast<std::uint32_t *>(memory), [](std::uint32_t *p) { std::free(p); }};
}

template <typename Copier>
cudaError_t copy_segment(const arena_segment &s, const Copier &c, std::uint32_t position,
                         digester &out, harvest &h)
{
  std::vector<region_head> heads(s.size.regions);
  if (const cudaError_t error = c.copy(heads.data(), s.heads, heads.size() * sizeof(region_head)))
  {
    return error;
  }
  std::vector<std::size_t> sizes(s.size.regions);
  std::size_t all = 0;
  for (std::uint32_t sm = 0; sm < s.size.regions; ++sm)
  {
    h.add_loss({position, sm}, heads[sm].dropped_records, heads[sm].dropped_events);
    sizes[sm] = c.used(heads[sm], s.region(sm), s.size.region_words);
    all += sizes[sm];
  }
  if (all == 0)
  {
    return cudaSuccess;
  }
  const std::shared_ptr<std::uint32_t[]> words = allocate_words(all);
  std::size_t at                               = 0;
  for (std::uint32_t sm = 0; sm < s.size.regions; at += sizes[sm++])
  {
    if (sizes[sm] == 0)
    {
      continue;
    }
    region_copy r{{position, sm}, sizes[sm], {words, words.get() + at}};
    if (const cudaError_t error =
            c.copy(r.words.get(), s.region(sm), sizes[sm] * sizeof(std::uint32_t)))
    {
      return error;
    }
    out.add(std::move(r));
  }
  return cudaSuccess;
}

template <typename Copier>
cudaError_t copy_regions(const device_entry &d, const Copier &c, std::uint32_t position, harvest &h)
{
  digester out(d.segments.size() * d.arena.regions);
  cudaError_t error = cudaSuccess;
  for (const arena_segment *const s : in_order(d))
  {
    error = error == cudaSuccess ? copy_segment(*s, c, position, out, h) : error;
  }
  h.add(out.finish());
  return error;
}

/// What went with segments that were used again.
template <typename Copier>
cudaError_t copy_losses(const device_entry &d, const Copier &c, std::uint32_t position, harvest &h)
{
  if (d.lost == nullptr)
  {
    return cudaSuccess;
  }
  std::vector<region_head> lost(d.arena.regions);
  const cudaError_t error = c.copy(lost.data(), d.lost, lost.size() * sizeof(region_head));
  for (std::uint32_t sm = 0; error == cudaSuccess && sm < d.arena.regions; ++sm)
  {
    h.add_loss({position, sm}, lost[sm].dropped_records, lost[sm].dropped_events);
  }
  return error;
}

template <typename Copier>
cudaError_t copy_all(const device_entry &d, const Copier &c, std::uint32_t position, harvest &h)
{
  const cudaError_t error = copy_regions(d, c, position, h);
  return error == cudaSuccess ? copy_losses(d, c, position, h) : error;
}

void say_busy(const process_state &p, const device_entry &d)
{
  report(severity::warning,
         "%s is still busy after %llu s (exit_wait in KINSTR_OPTIONS): what its kernels "
         "record from now on is lost",
         name_of(d).c_str(), static_cast<unsigned long long>(p.settings.exit_wait.count));
}

cudaError_t harvest_device(const process_state &p, std::uint32_t position, time_limit limit,
                           harvest &h)
{
  const device_entry &d = *p.devices[position];
  cudaError_t error     = enter(d);
  error                 = error == cudaSuccess ? wait_for_device(d, limit) : error;
  const bool busy       = error == cudaErrorNotReady;
  if (busy)
  {
    say_busy(p, d);
  }
  if (d.host_arena && error != cudaErrorContextIsDestroyed)
  {
    // After an error that stays, every call fails: nothing more is asked of the device.
    if (error != cudaSuccess && !busy)
    {
      report(severity::warning, "%s: %s: the trace ends there", name_of(d).c_str(),
             cudaGetErrorString(error));
    }
    return copy_all(d, host_copier{error == cudaSuccess}, position, h);
  }
  return error == cudaSuccess || busy ? copy_all(d, copier(d, busy), position, h) : error;
}

/// What cannot be read is said and left out. A context that is gone is forgotten.
cudaError_t harvest_one(process_state &p, std::uint32_t position, time_limit limit, harvest &h)
{
  const cudaError_t error = harvest_device(p, position, limit, h);
  if (error == cudaSuccess)
  {
    return error;
  }
  device_entry &d = *p.devices[position];
  const bool gone = error == cudaErrorContextIsDestroyed;
  report(severity::error, "the records of %s are lost: %s%s", name_of(d).c_str(),
         cudaGetErrorString(error),
         !gone       ? "; arena=host in KINSTR_OPTIONS keeps them"
         : d.primary ? ""
                     : "; call kinstr_flush() before cuCtxDestroy()");
  if (gone)
  {
    forget(p, d);
  }
  return error;
}

/// All attached devices. Returns the first error.
cudaError_t harvest_devices(process_state &p, patience how, harvest &h)
{
  const time_limit limit = limit_from_now(p, how);
  cudaError_t first      = cudaSuccess;
  for (std::uint32_t i = 0; i < p.devices.size(); ++i)
  {
    if (p.devices[i]->attached)
    {
      const cudaError_t error = harvest_one(p, i, limit, h);
      first                   = first == cudaSuccess ? error : first;
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
  if (p.writing.exchange(true))
  {
    return -1; // rescue() is at it, and the program is about to end
  }
  const output_path path = make_path(p);
  if (const int error = write_trace(path.absolute, write_meta(p, h.totals), h.regions))
  {
    report(severity::error, "cannot write '%s': %s", path.shown.c_str(), std::strerror(error));
    p.writing = false;
    return -1;
  }
  ++p.files_written;
  p.writing                = false;
  const std::string listed = p.launches_not_listed == 0
                                 ? std::string()
                                 : " (" + std::to_string(p.launches.size()) + " of them listed)";
  report(severity::note, "%s: %s%s, %s, %llu dropped%s", path.shown.c_str(),
         counted(p.launches.size() + p.launches_not_listed, "launch", "launches").c_str(),
         listed.c_str(), counted(h.totals.events, "event", "events").c_str(),
         static_cast<unsigned long long>(h.totals.dropped_events()),
         h.totals.dropped.empty()                     ? ""
         : p.settings.overflow == overflow_mode::ring ? " (overflow=ring keeps the latest)"
                                                      : " (raise buffer_mb in KINSTR_OPTIONS)");
  return 0;
}

/// What there is without asking a device.
harvest begin_harvest(const process_state &p) { return p.kept != nullptr ? *p.kept : harvest{}; }

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
  if (!any_attached(p) && p.kept == nullptr)
  {
    return 0;
  }
  const error_guard errors;
  const device_guard device;
  const relaxed_capture_guard relaxed;

  harvest h               = begin_harvest(p);
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

void keep_records(process_state &p, const device_entry &d)
{
  const device_guard device;
  const relaxed_capture_guard relaxed;
  if (p.kept == nullptr)
  {
    p.kept = std::make_shared<harvest>();
  }
  harvest_one(p, position(p, d), limit_from_now(p, patience::exit_wait), *p.kept);
}

void rescue(process_state &p)
{
  // The other way round: the program's own drain is at it.
  for (int i = 0; i < 1000 && p.writing; ++i)
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (p.finished)
  {
    return;
  }
  harvest h = begin_harvest(p);
  for (std::uint32_t i = 0; i < p.devices.size(); ++i)
  {
    if (p.devices[i]->attached && p.devices[i]->host_arena)
    {
      copy_all(*p.devices[i], host_copier{false}, i, h);
    }
  }
  write_file(p, h);
}

int clear_records(process_state &p, patience how)
{
  const error_guard errors;
  const device_guard device;
  const relaxed_capture_guard relaxed;

  p.launches.clear();
  p.kept.reset();
  p.launches_not_listed  = 0;
  const time_limit limit = limit_from_now(p, how);
  int result             = 0;
  for (const std::unique_ptr<device_entry> &d : p.devices)
  {
    if (!d->attached)
    {
      continue;
    }
    cudaError_t error = enter(*d);
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
