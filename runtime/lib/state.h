// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything the runtime knows: plain data, and the steps each source file of lib/ contributes.
#ifndef KINSTR_LIB_STATE_H
#define KINSTR_LIB_STATE_H

#include "arena.h"
#include "contexts.h"
#include "identity.h"
#include "options.h"
#include "tables.h"

#include <atomic>
#include <cstdint>
#include <cuda_runtime_api.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <sys/types.h>
#include <tuple>
#include <unordered_map>
#include <vector>

// The library is compiled with hidden visibility: two shared objects that carry different versions
// of it must not mix their insides. Only the C functions are the program's to see.
#pragma GCC visibility push(default)
#include <kinstr/detail/module.h>
#include <kinstr/kinstr.h>
#pragma GCC visibility pop

namespace kinstr::rt
{

/// A rewritten translation unit. The tables are copied: its library may be unloaded before the
/// trace is written.
struct module_entry
{
  kinstr_module *module; ///< null: unloaded
  std::string tables;
  table_contents contents;
  bool loss_said = false; ///< what a hang would lose of it
};

/// A kernel instance that was launched.
struct function_entry
{
  std::uint32_t module;
  int kernel;
  std::string name;
  int registers             = 0;
  std::size_t static_shared = 0;
  std::size_t local_bytes   = 0;
};

/// A launch call, all arguments known.
struct launch_arguments
{
  const void *kernel  = nullptr;
  unsigned grid[3]    = {1, 1, 1};
  unsigned block[3]   = {1, 1, 1};
  std::size_t shared  = 0;
  cudaStream_t stream = nullptr;
};

inline launch_arguments gather(const void *kernel, dim3 grid, dim3 block, std::size_t shared,
                               cudaStream_t stream)
{
  return {kernel, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared, stream};
}

/// A row of the launch table.
struct launch_entry
{
  std::uint32_t device; ///< position in process_state::devices
  std::uint32_t module;
  int site; ///< -1: a call in a file that was not rewritten, or not in one of its lines
  int function;
  unsigned grid[3];
  unsigned block[3];
  std::size_t dynamic_shared;
  std::uint32_t stream;
  std::uint64_t host_unix_ns;
  int blocks_per_sm;
  bool captured; ///< into a graph: what runs, and how often, is up to its replays
};

/// What describes a GPU in the trace.
struct device_properties
{
  std::string name;
  std::string uuid; ///< in hexadecimal; empty: not known
  int major                = 0;
  int minor                = 0;
  int sm_count             = 0;
  int clock_khz            = 0;
  int shared_per_sm        = 0; ///< [bytes]
  std::size_t memory_bytes = 0;
  int driver               = 0; ///< 13000 is 13.0
  int runtime              = 0;
};

/// A set of regions. With overflow=ring and grow there are several, of which the kernels record to
/// one at a time.
struct arena_segment
{
  arena_size size      = {};
  std::uint32_t *data  = nullptr; ///< device memory, or pinned with arena=host
  region_head *heads   = nullptr; ///< likewise
  callee_chunk *chunks = nullptr; ///< always device memory: marks load from there

  std::size_t modules() const { return on.size(); }
  const std::uint32_t *region(std::uint32_t r) const
  {
    return data + std::size_t{r} * size.region_words;
  }

  /// What each module's constant is set to, in pinned memory, so that a copy queued behind other
  /// work finds it there later and never makes the host wait. One of each a module.
  std::vector<device_state *> on;
  std::vector<device_state *> off;
};

/// How full the current segment is, as far as the host can tell without waiting. Of
/// overflow=ring and grow.
struct fill_watch
{
  cudaStream_t stream   = nullptr; ///< waits for the program's work, so nothing else is queued here
  cudaEvent_t before    = nullptr;
  cudaEvent_t after     = nullptr;
  region_head *snapshot = nullptr; ///< pinned: the heads as they were after `snapshot_warps`
  bool in_flight        = false;
  std::size_t segment   = 0; ///< that the snapshot is of
  std::uint64_t warps   = 0; ///< launched since the current segment became that
  std::uint64_t snapshot_warps = 0;
  std::uint64_t asked_at       = 0;     ///< warps at the last snapshot
  double words_per_warp        = 128;   ///< in the fullest region, times regions; a guess at first
  bool exhausted               = false; ///< there is no other segment, and that was said
};

/// A context of a GPU that is or was traced, normally its primary one. Entries stay for good,
/// launches point at them.
struct device_entry
{
  int ordinal     = -1;
  unsigned number = 0; ///< how many entries of the same GPU came before
  context_ref context;
  unsigned long long memory_id = 0; ///< of `staging`; 0: unknown
  bool primary                 = true;
  bool attached                = false; ///< false after a reset: all handles below are gone
  device_properties properties;
  arena_size arena = {}; ///< of the first segment
  bool host_arena  = false;
  std::vector<arena_segment> segments;
  std::size_t current = 0;       ///< segment
  region_head *lost   = nullptr; ///< overflow=ring: what was dropped with old segments
  fill_watch fill;
  cudaStream_t stream = nullptr; ///< the runtime's own; never waits on the default stream

  void *scratch = nullptr;               ///< of calibrate.cpp
  std::vector<std::uint32_t> calibrated; ///< calibrated_words; empty: not known
  std::uint64_t calibration_us = 0;      ///< how long that took

  std::vector<void *> pinned;   ///< what to free
  std::vector<bool> unwritable; ///< by module attached: without code for this GPU
  bool recording = false;       ///< what the constants say, or will say in stream order

  cudaStream_t busy_stream = nullptr; ///< for copies beside kernels that do not end, and where
  void *staging            = nullptr; ///< they go: staging_bytes of pinned memory
  static constexpr std::size_t staging_bytes = 1u << 20;

  cudaEvent_t before = nullptr; ///< for switching, recording.cpp
  cudaEvent_t after  = nullptr;
  bool order_lazily  = false; ///< streams must wait for `after` at their next launch
  bool capture_seen  = false; ///< some launch so far went into a stream capture
};

struct harvest; // drain.cpp

struct process_state
{
  std::mutex mutex; ///< guards everything below but the atomics

  std::string options_text; ///< KINSTR_OPTIONS
  options settings;
  std::string start_folder; ///< working folder when the options were read
  process_identity identity;

  std::vector<module_entry> modules;
  std::vector<std::unique_ptr<device_entry>> devices;
  std::map<std::pair<int, unsigned long long>, cudaError_t>
      untraced; ///< device and context where attaching failed, and why
  std::uint64_t attached_unix_ns = 0;

  std::vector<function_entry> functions;
  std::map<std::pair<std::uint32_t, const void *>, int>
      function_index; ///< by module and host address; -1: not annotated
  std::unordered_map<const void *, const void *> kernel_addresses; ///< host address by handle
  std::map<std::tuple<int, std::uint32_t, unsigned, std::size_t>, int>
      occupancy; ///< by function, device, threads a block, dynamic shared memory
  std::unordered_map<cudaStream_t, std::uint32_t> stream_index;
  std::vector<launch_entry> launches;
  std::shared_ptr<harvest> kept;               ///< records of contexts that are gone; null: none
  std::size_t most_launches         = 1000000; ///< rows of the table, about 100 MB of memory
  std::uint64_t launches_not_listed = 0;       ///< recorded after the table was full

  std::uint64_t committed = 0;    ///< launches so far, inside the window or not
  bool started            = true; ///< kinstr_start / kinstr_stop
  unsigned files_written  = 0;

  std::atomic<pid_t> attached_pid{0}; ///< 0: no device was attached yet
  std::atomic<bool> finished{false};  ///< the trace was written at exit
  std::atomic<bool> writing{false};   ///< somebody is; by a signal it may be without the lock
};

/// control.cpp: what `attach=load` asks for. Called once, when the program's static constructors
/// are through.
void attach_at_load();

/// The state of this process. Never destroyed: static destructors and exit handlers may still
/// launch.
process_state &the_process();

/// How long to wait for kernels that still run.
enum class patience
{
  exit_wait, ///< as the option says
  endless
};

/// A child of fork() has the parent's state but not its CUDA context: it must keep its hands off.
bool in_forked_child(const process_state &p);

std::uint64_t unix_ns();

// The steps. All of them need the mutex, and an error_guard around them.

/// attach.cpp: makes sure that the calling thread's context on the current device, `ordinal`, and
/// all modules registered so far are attached; recording from the start if `record`. Null, with the
/// reason: it is not traced.
device_entry *attach(process_state &p, int ordinal, bool record, cudaError_t *why = nullptr);

/// attach.cpp: where in the table of devices.
std::uint32_t position(const process_state &p, const device_entry &d);

/// attach.cpp: "device 0", "device 0, context 1".
std::string name_of(const device_entry &d);

/// attach.cpp: after a reset or before one. Forgets the handles, which are dead or about to be.
void forget(process_state &p, device_entry &d);

/// attach.cpp: the states of the modules attached so far, for a new segment.
cudaError_t prepare_states(process_state &p, device_entry &d, arena_segment &s);

/// calibrate.cpp: measures what a mark costs on the current device, `d`, before any module reads
/// its state. Takes 2 ms at most.
void calibrate(const process_state &p, device_entry &d);

/// segments.cpp: another segment, with whatever was in that memory.
cudaError_t add_segment(device_entry &d, arena_size size);

/// segments.cpp: empties one, on the runtime's own stream where it is on the device. Nothing may
/// record to it.
cudaError_t clear_segment(const device_entry &d, const arena_segment &s);

/// segments.cpp: of a segment that something else empties: no warp goes on with a chunk there. On
/// the runtime's own stream.
cudaError_t forget_chunks(const device_entry &d, const arena_segment &s);

/// segments.cpp: empties all segments; one is enough from then on. The device must be idle.
cudaError_t clear_arena(device_entry &d);

/// segments.cpp: hands all of them back.
void free_segments(device_entry &d);

/// overflow.cpp: what overflow=ring and grow need, at attaching, and hands it back.
cudaError_t prepare_overflow(const process_state &p, device_entry &d);
void release_overflow(device_entry &d);

/// overflow.cpp: before a launch that is recorded: another segment if it might not fit this one.
void make_room(process_state &p, device_entry &d, const launch_arguments &a);

/// attach.cpp: queues the on or off state of modules `first` to `last` on the runtime's own stream.
/// A module that cannot be written is said and left out from then on.
void write_states(process_state &p, device_entry &d, std::size_t first, std::size_t last, bool on);

/// recording.cpp: whether launch number `launch` is to be recorded.
bool is_selected(const process_state &p, std::uint64_t launch);

/// recording.cpp: just before a launch into `stream` of the current device, `d`: makes recording
/// what `on` says, from that launch on. Returns whether the launch is captured into a graph.
bool switch_for_launch(process_state &p, device_entry &d, bool on, cudaStream_t stream);

/// recording.cpp: the same outside of a launch, on the current device.
cudaError_t switch_now(process_state &p, device_entry &d, bool on);

/// recording.cpp: has all work queued from now on, of the current device, record to another
/// segment, and only that. False: it cannot be ordered so, and nothing was done.
bool switch_segment(process_state &p, device_entry &d, std::size_t segment);

/// recording.cpp: records `event` after all work of all streams of the current device, or not at
/// all.
bool record_all_streams(const device_entry &d, cudaEvent_t event);

/// recording.cpp: records `event` after all work of the current device. Drivers before 12.5 leave
/// out streams that do not synchronise with the default one. False: it cannot be done, for example
/// in a stream capture.
bool record_all_work(cudaEvent_t event);

/// launches.cpp: the calling thread is about to launch. Whether and how the place of the launch is
/// known depends on what was announced. Takes the mutex itself.
void launch_follows(const launch_arguments &a);

/// drain.cpp: writes the trace. Where kernels outlast the patience, it holds what they wrote so
/// far. Returns 0, a cudaError_t, or -1 where no file could be written.
int drain(process_state &p, patience how);

/// drain.cpp: takes the records of `d`, whose context is about to go, into `kept`.
void keep_records(process_state &p, const device_entry &d);

/// drain.cpp: writes what arenas on the host hold, without any CUDA call. The lock is welcome, but
/// may be somebody else's who is stuck.
void rescue(process_state &p);

/// rescue.cpp: with arena=host, from now on: the trace is written before a signal ends the program.
void write_on_signals(process_state &p);

/// drain.cpp: forgets what was drained, so that the next trace starts empty.
int clear_records(process_state &p, patience how);

} // namespace kinstr::rt

#endif // KINSTR_LIB_STATE_H
