// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attaching: an arena on the device, and its address in the constant of each module.
//
// Happens at the first launch on a device, which may be inside a stream capture, and waits for the
// runtime's own stream only, never for the program's work. (cudaMalloc may wait for the device on
// some drivers. Its stream-ordered cousin would not, but takes from a pool that the program may
// have sized.)
#include "guards.h"
#include "messages.h"
#include "state.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <new>
#include <unistd.h>

namespace kinstr::rt
{
namespace
{

/// At exit. Registered after the first successful CUDA call and thus called before the CUDA runtime
/// takes itself down.
void write_at_exit()
{
  process_state &p = the_process();
  if (in_forked_child(p)) // before the lock: another thread of the parent may have held it
  {
    return;
  }
  try
  {
    const std::lock_guard<std::mutex> lock(p.mutex);
    drain(p, patience::exit_wait);
  }
  catch (const std::exception &e)
  {
    report(severity::error, "no trace is written: %s", e.what());
  }
  p.finished = true;
}

/// Before the first CUDA call under the lock, which may take long: a child forked meanwhile must
/// know that the lock is not its own.
void claim_process(process_state &p)
{
  if (p.attached_pid == 0)
  {
    p.attached_pid = ::getpid();
  }
}

/// The first time any device is attached.
void begin_process(process_state &p)
{
  if (p.attached_unix_ns == 0)
  {
    p.attached_unix_ns = unix_ns();
    std::atexit(write_at_exit);
    if (!p.settings.arena.chosen)
    {
      report(severity::note,
             "a trap or a hang will lose the trace; KINSTR_OPTIONS=arena=host keeps "
             "it, arena=device silences this");
    }
  }
}

int attribute(int ordinal, cudaDeviceAttr which)
{
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, ordinal) == cudaSuccess ? value : 0;
}

/// Empty where all bytes are 0: nobody filled them in.
std::string hexadecimal(const char (&bytes)[16])
{
  static constexpr char digits[] = "0123456789abcdef";

  std::string out;
  for (const char b : bytes)
  {
    out += {digits[static_cast<unsigned char>(b) >> 4], digits[b & 15]};
  }
  return out.find_first_not_of('0') == std::string::npos ? "" : out;
}

device_properties read_properties(int ordinal, std::size_t memory_bytes)
{
  device_properties r;
  // The layout of cudaDeviceProp changes between toolkits; its first two members do not.
  auto properties = std::make_unique<cudaDeviceProp>();
  if (cudaGetDeviceProperties(properties.get(), ordinal) == cudaSuccess)
  {
    r.name = std::string(properties->name, ::strnlen(properties->name, sizeof properties->name));
    r.uuid = hexadecimal(properties->uuid.bytes);
  }
  r.major         = attribute(ordinal, cudaDevAttrComputeCapabilityMajor);
  r.minor         = attribute(ordinal, cudaDevAttrComputeCapabilityMinor);
  r.sm_count      = attribute(ordinal, cudaDevAttrMultiProcessorCount);
  r.clock_khz     = attribute(ordinal, cudaDevAttrClockRate);
  r.shared_per_sm = attribute(ordinal, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  r.memory_bytes  = memory_bytes;
  cudaDriverGetVersion(&r.driver);
  cudaRuntimeGetVersion(&r.runtime);
  return r;
}

/// With overflow=ring: one that is recorded to, one that is kept, one that is being emptied.
constexpr std::size_t ring_segments = 3;

/// On failure `step` names what failed, and release() takes back what succeeded.
cudaError_t allocate(const process_state &p, device_entry &d, std::string &step)
{
  step              = "creating a stream";
  cudaError_t error = cudaStreamCreateWithFlags(&d.stream, cudaStreamNonBlocking);
  if (error == cudaSuccess)
  {
    error = cudaStreamCreateWithFlags(&d.busy_stream, cudaStreamNonBlocking);
  }
  for (cudaEvent_t *event : {&d.before, &d.after})
  {
    error = error == cudaSuccess ? cudaEventCreateWithFlags(event, cudaEventDisableTiming) : error;
  }
  const std::size_t segments = p.settings.overflow == overflow_mode::ring ? ring_segments : 1;
  const arena_size size      = part_of(d.arena, segments);
  step                       = "allocating " + std::to_string(d.arena.bytes() >> 20) + " MiB";
  while (error == cudaSuccess && d.segments.size() < segments)
  {
    error = add_segment(d, size);
  }
  d.arena = size;
  error   = error == cudaSuccess ? prepare_overflow(p, d) : error;
  if (error == cudaSuccess)
  {
    error = cudaHostAlloc(&d.staging, device_entry::staging_bytes, cudaHostAllocDefault);
  }
  return error;
}

/// What allocate() and the modules took, handed back.
void release(device_entry &d)
{
  free_segments(d);
  release_overflow(d);
  cudaFree(d.scratch);
  cudaFreeHost(d.staging);
  for (void *block : d.pinned)
  {
    cudaFreeHost(block);
  }
  if (d.before != nullptr)
  {
    cudaEventDestroy(d.before);
  }
  if (d.after != nullptr)
  {
    cudaEventDestroy(d.after);
  }
  for (const cudaStream_t stream : {d.stream, d.busy_stream})
  {
    if (stream != nullptr)
    {
      cudaStreamDestroy(stream);
    }
  }
}

void drop_handles(device_entry &d)
{
  const int ordinal                  = d.ordinal;
  const unsigned number              = d.number;
  const bool primary                 = d.primary;
  const arena_size arena             = d.arena; // a trace written later still describes it
  const device_properties properties = d.properties;
  auto calibrated                    = std::move(d.calibrated);
  const std::uint64_t calibration_us = d.calibration_us;

  d                = device_entry();
  d.calibrated     = std::move(calibrated);
  d.calibration_us = calibration_us;
  d.ordinal        = ordinal;
  d.number         = number;
  d.primary        = primary;
  d.arena          = arena;
  d.properties     = properties;
}

/// Bit w: warp w of a block is sampled.
std::uint32_t warps_sampled(const sample_rule &rule)
{
  std::uint32_t mask = 0;
  for (std::uint32_t w = 0; w < 32; ++w)
  {
    mask |= contains(rule, w) ? 1u << w : 0;
  }
  return mask;
}

/// What a kernel of module `index` reads while recording is on.
device_state make_state(const options &o, const arena_segment &s, std::uint32_t index)
{
  const bool all = o.blocks.all() && o.warps.all() && o.sms.all();
  return {s.data,
          s.heads,
          s.size.region_words,
          s.size.regions - 1,
          index,
          all ? record_all : record_samples,
          o.blocks.rule(),
          o.sms.rule(),
          warps_sampled(o.warps.rule()),
          0,
          s.chunks + index % callee_chunks_per_slot};
}

/// With arena=host, of modules from `first` on: what a hang loses all the same.
void say_what_a_hang_loses(process_state &p, std::size_t first)
{
  for (std::size_t i = first; i < p.modules.size(); ++i)
  {
    module_entry &m = p.modules[i];
    std::string kernels;
    for (const std::string &name : m.contents.keeping_kernels)
    {
      kernels += (kernels.empty() ? "'" : ", '") + name + "'";
    }
    if (!kernels.empty() && !m.loss_said)
    {
      report(
          severity::note,
          "'%s': a hang or trap loses what warps of %s still keep in shared memory or registers; "
          "kinstr --write-through keeps nothing there",
          m.contents.file.c_str(), kernels.c_str());
    }
    m.loss_said = true;
  }
}

/// Modules that were registered (their library was loaded) since the last launch on this device.
cudaError_t attach_modules(process_state &p, device_entry &d)
{
  const std::size_t first = d.unwritable.size();
  if (first == p.modules.size())
  {
    return cudaSuccess;
  }
  if (d.host_arena)
  {
    say_what_a_hang_loses(p, first);
  }
  const relaxed_capture_guard relaxed;
  d.unwritable.resize(p.modules.size(), false);
  cudaError_t error = cudaSuccess;
  for (arena_segment &s : d.segments)
  {
    error = error == cudaSuccess ? prepare_states(p, d, s) : error;
  }
  if (error == cudaSuccess) // also off: one that measured still has the state of its own arena
  {
    write_states(p, d, first, d.unwritable.size(), d.recording);
    error = cudaStreamSynchronize(d.stream);
  }
  return error;
}

cudaError_t attach_device(process_state &p, device_entry &d, bool record, std::string &step)
{
  const relaxed_capture_guard relaxed;

  std::size_t free_bytes  = 0;
  std::size_t total_bytes = 0;
  step                    = "asking for free memory";
  claim_process(p);
  if (const cudaError_t error = cudaMemGetInfo(&free_bytes, &total_bytes))
  {
    return error;
  }
  begin_process(p);
  d.properties = read_properties(d.ordinal, total_bytes);
  d.host_arena = p.settings.arena.on_host;
  d.arena      = plan_arena(static_cast<std::uint32_t>(d.properties.sm_count), free_bytes,
                            p.settings.buffer_mb.count);
  if (const cudaError_t error = allocate(p, d, step))
  {
    return error;
  }
  step = "clearing the arena";
  if (const cudaError_t error = clear_arena(d))
  {
    return error;
  }
  d.memory_id = memory_number(d.staging);
  calibrate(p, d);
  step        = "writing the address of the arena";
  d.recording = record;
  if (d.host_arena)
  {
    write_on_signals(p);
  }
  return attach_modules(p, d);
}

device_entry *find_attached(process_state &p, int ordinal, const context_ref &c)
{
  for (const std::unique_ptr<device_entry> &d : p.devices)
  {
    if (d->attached && d->ordinal == ordinal && d->context.id == c.id)
    {
      return d.get();
    }
  }
  return nullptr;
}

/// Where `fresh` belongs in the table: in the place of the primary context before a reset, or
/// behind all others.
device_entry &enter_in_table(process_state &p, std::unique_ptr<device_entry> fresh)
{
  for (const std::unique_ptr<device_entry> &d : p.devices)
  {
    if (!d->attached && d->primary && fresh->primary && d->ordinal == fresh->ordinal)
    {
      fresh->number = d->number;
      *d            = std::move(*fresh);
      return *d;
    }
  }
  p.devices.push_back(std::move(fresh));
  return *p.devices.back();
}

std::unique_ptr<device_entry> make_entry(const process_state &p, int ordinal, const context_ref &c)
{
  auto fresh     = std::make_unique<device_entry>();
  fresh->ordinal = ordinal;
  fresh->context = c;
  fresh->primary = is_primary(c, ordinal);
  for (const std::unique_ptr<device_entry> &d : p.devices)
  {
    fresh->number += d->ordinal == ordinal ? 1 : 0;
  }
  return fresh;
}

/// Says why, and takes back what was done. The kernels must not keep the address of a dead arena.
void give_up(process_state &p, device_entry &d, cudaError_t error, const std::string &step)
{
  report(severity::error, "%s is not traced: %s failed: %s", name_of(d).c_str(), step.c_str(),
         cudaGetErrorString(error));
  p.untraced[{d.ordinal, d.context.id}] = error;
  if (d.recording)
  {
    write_states(p, d, 0, d.unwritable.size(), false);
    cudaStreamSynchronize(d.stream);
  }
  release(d);
}

} // namespace

cudaError_t prepare_states(process_state &p, device_entry &d, arena_segment &s)
{
  const std::size_t first = s.modules();
  const std::size_t count = d.unwritable.size() - first;
  void *block             = nullptr;
  if (const cudaError_t error =
          cudaHostAlloc(&block, 2 * count * sizeof(device_state), cudaHostAllocDefault))
  {
    s.on.resize(d.unwritable.size(), nullptr);
    s.off.resize(d.unwritable.size(), nullptr);
    return error;
  }
  d.pinned.push_back(block);
  for (std::size_t i = 0; i < count; ++i)
  {
    auto *const place     = static_cast<device_state *>(block) + 2 * i;
    const auto index      = static_cast<std::uint32_t>(first + i);
    const device_state on = make_state(p.settings, s, index);
    device_state off      = on;
    off.recording         = record_nothing;
    s.on.push_back(new (place) device_state(on));
    s.off.push_back(new (place + 1) device_state(off));
  }
  return cudaSuccess;
}

void write_states(process_state &p, device_entry &d, std::size_t first, std::size_t last, bool on)
{
  for (std::size_t i = first; i < last; ++i)
  {
    const module_entry &m     = p.modules[i];
    const arena_segment &s    = d.segments[d.current];
    const device_state *state = on ? s.on[i] : s.off[i];
    if (d.unwritable[i] || m.module == nullptr || state == nullptr)
    {
      continue;
    }
    const auto error = static_cast<cudaError_t>(m.module->write_state(state, d.stream));
    if (error != cudaSuccess)
    {
      d.unwritable[i] = true; // typically a file compiled for another architecture
      report(severity::warning, "kernels of '%s' are not recorded on %s: %s",
             m.contents.file.c_str(), name_of(d).c_str(), cudaGetErrorString(error));
    }
  }
}

std::uint32_t position(const process_state &p, const device_entry &d)
{
  std::uint32_t i = 0;
  while (p.devices[i].get() != &d)
  {
    ++i;
  }
  return i;
}

std::string name_of(const device_entry &d)
{
  return "device " + std::to_string(d.ordinal) +
         (d.number == 0 ? std::string() : ", context " + std::to_string(d.number));
}

device_entry *attach(process_state &p, int ordinal, bool record, cudaError_t *why)
{
  const context_ref context = launching_context(ordinal);
  if (device_entry *const d = find_attached(p, ordinal, context))
  {
    if (const cudaError_t error = attach_modules(p, *d))
    {
      report(severity::warning, "a file loaded late is not recorded: %s",
             cudaGetErrorString(error));
    }
    return d;
  }
  const auto untraced = p.untraced.find({ordinal, context.id});
  cudaError_t error   = untraced != p.untraced.end() ? untraced->second : cudaSuccess;
  if (error == cudaSuccess)
  {
    std::unique_ptr<device_entry> fresh = make_entry(p, ordinal, context);
    std::string step;
    error = attach_device(p, *fresh, record, step);
    if (error == cudaSuccess)
    {
      fresh->attached = true;
      return &enter_in_table(p, std::move(fresh));
    }
    give_up(p, *fresh, error, step);
  }
  if (why != nullptr)
  {
    *why = error;
  }
  return nullptr;
}

void forget(process_state &p, device_entry &d)
{
  drop_handles(d);
  for (auto at = p.untraced.begin(); at != p.untraced.end();)
  {
    at = at->first.first == d.ordinal ? p.untraced.erase(at) : std::next(at);
  }
}

} // namespace kinstr::rt
