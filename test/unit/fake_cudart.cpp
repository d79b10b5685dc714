// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handful of CUDA functions the runtime calls, on the host.
#include "fake_cudart.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

struct CUstream_st;

/// A point in a stream: reached when `count` of its operations are done.
struct point {
  CUstream_st *stream;
  std::size_t count;
};

struct operation {
  std::vector<point> after;
  std::function<void()> work;
};

/// A CUcontext.
struct context {
  int device = 0;
  unsigned long long id = 0;
  bool alive = true;
  CUstream_st *default_stream = nullptr;
};

struct CUstream_st {
  context *owner = nullptr;
  bool blocking = false; ///< synchronises with the default stream
  bool program = true;
  bool alive = true;
  bool capturing = false;
  std::vector<operation> queue;
  std::size_t done = 0;
};

struct CUevent_st {
  context *owner = nullptr;
  std::vector<point> points;
};

namespace fake {
gpu_settings gpu;

namespace {

std::recursive_mutex mutex;
std::vector<std::unique_ptr<CUstream_st>> streams;

struct allocation {
  std::size_t size;
  context *owner;
  unsigned long long number;
};
std::map<void *, allocation> device_memory;
std::map<void *, allocation> pinned_memory;
unsigned long long numbers = 0; ///< of contexts and allocations, given so far
std::vector<std::unique_ptr<context>> contexts;
std::map<int, context *> primary_contexts;
std::vector<point> held_up_by; ///< what the next operation comes after
std::set<cudaEvent_t> events;
int program_operations = 0;
std::vector<std::string> calls; ///< launch_calls()
const void *polled = nullptr; ///< the last one asked for, nothing queued since

thread_local cudaError_t last_error = cudaSuccess;
thread_local int current_device = 0;
thread_local context *current_context = nullptr;
thread_local cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;

cudaError_t result(cudaError_t error) {
  if (error != cudaSuccess) {
    last_error = error;
  }
  return error;
}

[[noreturn]] void misuse(const char *what) {
  std::fprintf(stderr, "fake cudart: %s\n", what);
  std::abort();
}

CUstream_st *new_stream(context *owner, bool blocking, bool program) {
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  streams.push_back(std::make_unique<CUstream_st>());
  streams.back()->owner = owner;
  streams.back()->blocking = blocking;
  streams.back()->program = program;
  return streams.back().get();
}

context *new_context(int device) {
  contexts.push_back(std::make_unique<context>());
  context *const c = contexts.back().get();
  c->device = device;
  c->id = ++numbers;
  c->default_stream = new_stream(c, true, true);
  return c;
}

/// The calling thread's; the primary one of its device if it has none.
context *bound_context() {
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  if (current_context == nullptr) {
    context *&primary = primary_contexts[current_device];
    primary = primary != nullptr ? primary : new_context(current_device);
    current_context = primary;
  }
  if (!current_context->alive) {
    misuse("a destroyed context is used");
  }
  return current_context;
}

CUstream_st *default_stream() { return bound_context()->default_stream; }

CUstream_st *resolve(cudaStream_t s) {
  if (s == nullptr || s == cudaStreamLegacy) {
    return default_stream();
  }
  if (!s->alive) {
    misuse("a destroyed stream is used");
  }
  if (s->owner != bound_context()) {
    misuse("a stream of another context is used");
  }
  return s;
}

bool any_capture() {
  for (const auto &s : streams) {
    if (s->capturing) {
      return true;
    }
  }
  return false;
}

/// Calls like cudaMalloc() end captures unless the thread is relaxed.
void check_capture_mode() {
  if (any_capture() && capture_mode != cudaStreamCaptureModeRelaxed) {
    misuse("a capture is invalidated");
  }
}

/// What an operation queued in `s` now comes after: the default stream and the
/// blocking ones order each other.
std::vector<point> implied(CUstream_st *s) {
  std::vector<point> points;
  for (const auto &other : streams) {
    const bool default_takes_part = s == s->owner->default_stream ||
                                    other.get() == s->owner->default_stream;
    if (other.get() != s && other->owner == s->owner && s->blocking &&
        other->blocking && default_takes_part) {
      points.push_back({other.get(), other->queue.size()});
    }
  }
  return points;
}

void push(CUstream_st *s, std::vector<point> after,
          std::function<void()> work) {
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  if (s->capturing) {
    misuse("an operation of the runtime is captured");
  }
  program_operations += s->program;
  polled = nullptr;
  after.insert(after.end(), held_up_by.begin(), held_up_by.end());
  held_up_by.clear();
  const std::vector<point> more = implied(s);
  after.insert(after.end(), more.begin(), more.end());
  s->queue.push_back({std::move(after), std::move(work)});
}

bool reached(const std::vector<point> &points) {
  for (const point &p : points) {
    if (p.stream->done < p.count) {
      return false;
    }
  }
  return true;
}

bool can_advance(const CUstream_st &s) {
  return s.done < s.queue.size() && reached(s.queue[s.done].after);
}

/// One operation of the stream that is to hurry, the youngest first.
bool advance() {
  for (const bool hurried : {true, false}) {
    for (std::size_t i = streams.size(); i-- > 0;) {
      CUstream_st &s = *streams[i];
      if (s.program == ((gpu.first == hurry::program) == hurried) &&
          can_advance(s)) {
        const std::function<void()> work = s.queue[s.done].work;
        if (work) {
          work();
        }
        ++s.done;
        return true;
      }
    }
  }
  return false;
}

/// When the same thing is asked for again.
void time_passes(const void *asked) {
  if (polled == asked) {
    advance();
  }
  polled = asked;
}

cudaError_t run_until(const std::function<bool()> &finished) {
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  while (!finished()) {
    if (!advance()) {
      misuse("streams wait for each other");
    }
  }
  return result(gpu.broken);
}

bool idle(const context *c) {
  for (const auto &s : streams) {
    if (s->owner == c && s->done < s->queue.size()) {
      return false;
    }
  }
  return true;
}

std::size_t allocated() {
  std::size_t sum = 0;
  for (const auto &[address, memory] : device_memory) {
    sum += memory.size;
  }
  return sum;
}

/// Memory, streams and events of a context, gone.
void take_down(context *c) {
  for (auto *const memory : {&device_memory, &pinned_memory}) {
    for (auto at = memory->begin(); at != memory->end();) {
      if (at->second.owner == c) {
        std::memset(at->first, 0xDD, at->second.size);
        std::free(at->first);
        at = memory->erase(at);
      } else {
        ++at;
      }
    }
  }
  for (auto at = events.begin(); at != events.end();) {
    if ((*at)->owner == c) {
      delete *at;
      at = events.erase(at);
    } else {
      ++at;
    }
  }
  for (const auto &s : streams) {
    if (s->owner == c) {
      s->done = s->queue.size();
      s->alive = s.get() == c->default_stream;
    }
  }
}

} // namespace

cudaStream_t create_stream(unsigned flags) {
  return new_stream(bound_context(), (flags & cudaStreamNonBlocking) == 0,
                    true);
}

void *create_context(int device) {
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  current_device = device;
  return current_context = new_context(device);
}

void destroy_context(void *context) {
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  auto *const c = static_cast<struct context *>(context);
  take_down(c);
  c->alive = false;
  current_context = current_context == c ? nullptr : current_context;
}

void set_current_context(void *context) {
  current_context = static_cast<struct context *>(context);
}
void *get_current_context() { return current_context; }

void enqueue(cudaStream_t s, std::function<void()> work) {
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  if (!resolve(s)->capturing) {
    push(resolve(s), {}, std::move(work));
    --program_operations;
  }
}

void enqueue_endless(cudaStream_t s) {
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  CUstream_st *const stream = resolve(s);
  push(stream, {{stream, SIZE_MAX}}, nullptr);
  --program_operations;
}

void hold_up_next(cudaStream_t behind) {
  held_up_by = {{behind, behind->queue.size()}};
}

void begin_capture(cudaStream_t s) { s->capturing = true; }
void end_capture(cudaStream_t s) { s->capturing = false; }
const std::vector<std::string> &launch_calls() { return calls; }
int operations_in_program_streams() { return program_operations; }
void set_last_error(cudaError_t error) { last_error = error; }

} // namespace fake

using namespace fake;

extern "C" {

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}
cudaError_t cudaPeekAtLastError() { return last_error; }
const char *cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "out of memory"
         : error == cudaErrorIllegalAddress
             ? "an illegal memory access was encountered"
             : "some error";
}

cudaError_t cudaGetDevice(int *device) {
  *device =
      current_context != nullptr ? current_context->device : current_device;
  return result(gpu.no_device);
}
cudaError_t cudaSetDevice(int device) {
  current_device = device;
  current_context = nullptr;
  bound_context();
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *v) {
  *v = 13000;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *v) {
  *v = 12090;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr a, int) {
  static const std::map<int, int> values = {
      {cudaDevAttrComputeCapabilityMajor, 9},
      {cudaDevAttrComputeCapabilityMinor, 0},
      {cudaDevAttrClockRate, 1980000},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, 233472}};
  *value = a == cudaDevAttrMultiProcessorCount ? gpu.sm_count : values.at(a);
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
  std::strcpy(properties->name, "Fake \"GPU\"");
  std::memcpy(properties->uuid.bytes, "\x80\x0f and fourteen", 16);
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  check_capture_mode();
  *free = gpu.free - allocated();
  *total = gpu.total;
  return result(gpu.broken);
}

cudaError_t cudaMalloc(void **p, size_t size) {
  const std::lock_guard<std::recursive_mutex> lock(fake::mutex);
  check_capture_mode();
  if (size > gpu.free - allocated()) {
    return result(cudaErrorMemoryAllocation);
  }
  *p = std::malloc(size);
  std::memset(*p, 0xA5, size);
  device_memory[*p] = {size, bound_context(), ++numbers};
  return cudaSuccess;
}
cudaError_t cudaFree(void *p) {
  bound_context();
  device_memory.erase(p);
  std::free(p);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void **p, size_t size, unsigned) {
  check_capture_mode();
  *p = std::malloc(size);
  std::memset(*p, 0x5A, size);
  pinned_memory[*p] = {size, bound_context(), ++numbers};
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void *p) {
  pinned_memory.erase(p);
  std::free(p);
  return cudaSuccess;
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes,
                                     const void *p) {
  const auto in = [p](const auto &memory) {
    return memory.count(const_cast<void *>(p)) != 0;
  };
  attributes->type = in(device_memory)   ? cudaMemoryTypeDevice
                     : in(pinned_memory) ? cudaMemoryTypeHost
                                         : cudaMemoryTypeUnregistered;
  return result(gpu.broken);
}

cudaError_t cudaMemsetAsync(void *p, int value, size_t size, cudaStream_t s) {
  push(resolve(s), {}, [=] { std::memset(p, value, size); });
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size,
                            cudaMemcpyKind, cudaStream_t s) {
  push(resolve(s), {}, [=] { std::memcpy(to, from, size); });
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags) {
  *s = new_stream(bound_context(), (flags & cudaStreamNonBlocking) == 0, false);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t s) {
  resolve(s)->alive = false;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t s) {
  check_capture_mode();
  CUstream_st *const stream = resolve(s);
  return run_until([=] { return stream->done == stream->queue.size(); });
}
cudaError_t cudaStreamQuery(cudaStream_t s) {
  const std::lock_guard<std::recursive_mutex> lock(fake::mutex);
  check_capture_mode();
  CUstream_st *const stream = resolve(s);
  time_passes(stream);
  return result(gpu.broken != cudaSuccess              ? gpu.broken
                : stream->done == stream->queue.size() ? cudaSuccess
                                                       : cudaErrorNotReady);
}
cudaError_t cudaDeviceSynchronize() {
  if (any_capture()) {
    misuse("a capture is invalidated");
  }
  return run_until([c = bound_context()] { return idle(c); });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t s,
                                  cudaStreamCaptureStatus *status) {
  CUstream_st *const stream = resolve(s);
  if (stream == default_stream()) {
    for (const auto &other : streams) {
      if (other->owner == stream->owner && other->blocking &&
          other->capturing) {
        return result(cudaErrorStreamCaptureImplicit);
      }
    }
  }
  *status = stream->capturing ? cudaStreamCaptureStatusActive
                              : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  std::swap(*mode, capture_mode);
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned) {
  *e = new CUevent_st;
  (*e)->owner = bound_context();
  events.insert(*e);
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t e) {
  events.erase(e);
  delete e;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) {
  CUstream_st *const stream = resolve(s);
  if (e->owner != stream->owner) {
    misuse("an event of another context is recorded");
  }
  push(stream, {}, nullptr);
  e->points = {{stream, stream->queue.size()}};
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t e) {
  const std::lock_guard<std::recursive_mutex> lock(fake::mutex);
  check_capture_mode();
  time_passes(e);
  if (gpu.broken != cudaSuccess) {
    return result(gpu.broken);
  }
  return reached(e->points) ? cudaSuccess : result(cudaErrorNotReady);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned) {
  push(resolve(s), e->points, nullptr);
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes,
                                  const void *) {
  check_capture_mode();
  *attributes = {};
  attributes->numRegs = 40;
  attributes->sharedSizeBytes = 1024;
  return cudaSuccess;
}
cudaError_t cudaFuncGetName(const char **name, const void *kernel) {
  const auto known = gpu.names.find(kernel);
  *name = known != gpu.names.end() ? known->second : "_Z6kernelPf";
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                          const void *,
                                                          int threads,
                                                          size_t shared) {
  if (shared > 49152) {
    return result(cudaErrorInvalidValue);
  }
  *blocks = 2048 / threads;
  return cudaSuccess;
}

// Launch calls.

static cudaError_t note_launch(const char *name, const void *kernel, dim3 grid,
                               dim3 block, size_t shared, cudaStream_t s) {
  char text[128];
  std::snprintf(text, sizeof text, "%s %p %ux%ux%u %ux%ux%u %zu %p", name,
                kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                shared, static_cast<void *>(s));
  calls.emplace_back(text);
  return result(gpu.launch);
}
#define LAUNCH_CALL(NAME, KERNEL)                                              \
  cudaError_t NAME(KERNEL kernel, dim3 grid, dim3 block, void **,              \
                   size_t shared, cudaStream_t s) {                            \
    return note_launch(#NAME, kernel, grid, block, shared, s);                 \
  }
#define CONFIG_CALL(NAME)                                                      \
  cudaError_t NAME(const cudaLaunchConfig_t *c, const void *kernel, void **) { \
    return c == nullptr ? result(cudaErrorInvalidValue)                        \
                        : note_launch(#NAME, kernel, c->gridDim, c->blockDim,  \
                                      c->dynamicSmemBytes, c->stream);         \
  }
cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block,
                             void **arguments, size_t shared, cudaStream_t s) {
  const auto known = gpu.kernels.find(kernel);
  if (known == gpu.kernels.end()) {
    return note_launch("cudaLaunchKernel", kernel, grid, block, shared, s);
  }
  push(resolve(s), {}, known->second(grid, arguments));
  return result(gpu.launch);
}
LAUNCH_CALL(cudaLaunchKernel_ptsz, const void *)
LAUNCH_CALL(cudaLaunchCooperativeKernel, const void *)
LAUNCH_CALL(cudaLaunchCooperativeKernel_ptsz, const void *)
CONFIG_CALL(cudaLaunchKernelExC)
CONFIG_CALL(cudaLaunchKernelExC_ptsz)

#if CUDART_VERSION >= 13000
LAUNCH_CALL(__cudaLaunchKernel, cudaKernel_t)
LAUNCH_CALL(__cudaLaunchKernel_ptsz, cudaKernel_t)

/// A handle lies 4096 bytes behind the address it stands for.
cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *address) {
  *handle = reinterpret_cast<cudaKernel_t>(
      reinterpret_cast<std::uintptr_t>(address) + 4096);
  return cudaSuccess;
}
#endif

cudaError_t cudaDeviceReset() {
  take_down(bound_context());
  return cudaSuccess;
}

// The driver's, by name.

static int cu_get_current(void **context) {
  *context = current_context;
  return 0;
}
static int cu_set_current(void *c) {
  current_context = static_cast<context *>(c);
  if (c != nullptr) {
    bound_context();
  }
  return 0;
}
static int cu_get_id(void *c, unsigned long long *id) {
  *id = static_cast<context *>(c)->id;
  return 0;
}
static int cu_primary_state(int device, unsigned *flags, int *active) {
  *flags = 0;
  *active = primary_contexts.count(device) != 0 ? 1 : 0;
  return 0;
}
static int cu_pointer_attribute(void *value, int attribute,
                                unsigned long long address) {
  const auto at =
      pinned_memory.find(reinterpret_cast<void *>(std::uintptr_t{address}));
  if (attribute != 7 || at == pinned_memory.end()) {
    return cudaErrorInvalidValue;
  }
  *static_cast<unsigned long long *>(value) = at->second.number;
  return 0;
}
static int cu_record_event(void *c, cudaEvent_t e) {
  if (any_capture()) {
    misuse("a capture is invalidated");
  }
  if (e->owner != c) {
    misuse("an event of another context is recorded");
  }
  e->points.clear();
  for (const auto &s : streams) {
    if (s->owner == c) {
      e->points.push_back({s.get(), s->queue.size()});
    }
  }
  return 0;
}
static int cu_wait_event(void *c, cudaEvent_t e) {
  if (any_capture()) {
    misuse("a capture is invalidated");
  }
  const int before = program_operations;
  for (const auto &s : streams) {
    if (s->owner == c) {
      push(s.get(), e->points, nullptr);
    }
  }
  program_operations = before;
  return 0;
}

cudaError_t
cudaGetDriverEntryPointByVersion(const char *symbol, void **address, unsigned,
                                 unsigned long long,
                                 cudaDriverEntryPointQueryResult *status) {
  static const std::map<std::string, void *> functions = {
      {"cuCtxGetCurrent", reinterpret_cast<void *>(&cu_get_current)},
      {"cuCtxSetCurrent", reinterpret_cast<void *>(&cu_set_current)},
      {"cuCtxGetId", reinterpret_cast<void *>(&cu_get_id)},
      {"cuDevicePrimaryCtxGetState",
       reinterpret_cast<void *>(&cu_primary_state)},
      {"cuPointerGetAttribute",
       reinterpret_cast<void *>(&cu_pointer_attribute)},
      {"cuCtxRecordEvent", reinterpret_cast<void *>(&cu_record_event)},
      {"cuCtxWaitEvent", reinterpret_cast<void *>(&cu_wait_event)}};
  const std::string name = symbol;
  const bool known = name == "cuCtxRecordEvent" || name == "cuCtxWaitEvent"
                         ? gpu.context_events
                         : gpu.contexts;
  *address = functions.at(name);
  *status = known ? cudaDriverEntryPointSuccess
                  : cudaDriverEntryPointVersionNotSufficent;
  return cudaSuccess;
}

} // extern "C"
