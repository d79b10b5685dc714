// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of an arena: on the device, or pinned on the host, where it outlives the device.
#include "guards.h"
#include "state.h"

#include <cstring>

namespace kinstr::rt
{
namespace
{

/// With unified addressing, which all 64-bit platforms have, the device knows pinned memory by the
/// host's address.
template <typename T>
cudaError_t allocate(const device_entry &d, T *&p, std::size_t bytes)
{
  void *memory = nullptr;
  const cudaError_t error =
      d.host_arena ? cudaHostAlloc(&memory, bytes, cudaHostAllocMapped | cudaHostAllocPortable)
                   : cudaMalloc(&memory, bytes);
  p = static_cast<T *>(memory);
  return error;
}

void hand_back(const device_entry &d, void *p) { d.host_arena ? cudaFreeHost(p) : cudaFree(p); }

cudaError_t clear(const device_entry &d, void *p, std::size_t bytes)
{
  if (d.host_arena)
  {
    std::memset(p, 0, bytes);
    return cudaSuccess;
  }
  return cudaMemsetAsync(p, 0, bytes, d.stream);
}

std::size_t bytes_of_heads(arena_size size) { return size.regions * sizeof(region_head); }

std::size_t bytes_of_chunks(arena_size size)
{
  return callee_chunk_count(size.regions) * sizeof(callee_chunk);
}

cudaError_t allocate_chunks(arena_segment &s)
{
  void *memory            = nullptr;
  const cudaError_t error = cudaMalloc(&memory, bytes_of_chunks(s.size));
  s.chunks                = static_cast<callee_chunk *>(memory);
  return error;
}

void hand_back(const device_entry &d, const arena_segment &s)
{
  hand_back(d, s.data);
  hand_back(d, s.heads);
  cudaFree(s.chunks);
}

} // namespace

cudaError_t add_segment(device_entry &d, arena_size size)
{
  arena_segment s;
  s.size            = size;
  cudaError_t error = allocate(d, s.data, size.bytes());
  error             = error == cudaSuccess ? allocate(d, s.heads, bytes_of_heads(size)) : error;
  error             = error == cudaSuccess ? allocate_chunks(s) : error;
  if (error != cudaSuccess)
  {
    hand_back(d, s);
    return error;
  }
  d.segments.push_back(s);
  return cudaSuccess;
}

cudaError_t clear_segment(const device_entry &d, const arena_segment &s)
{
  cudaError_t error = clear(d, s.data, s.size.bytes());
  error             = error == cudaSuccess ? clear(d, s.heads, bytes_of_heads(s.size)) : error;
  return error == cudaSuccess ? forget_chunks(d, s) : error;
}

cudaError_t forget_chunks(const device_entry &d, const arena_segment &s)
{
  return cudaMemsetAsync(s.chunks, 0, bytes_of_chunks(s.size), d.stream);
}

cudaError_t clear_arena(device_entry &d)
{
  if (d.lost == nullptr && d.segments.size() > 1) // overflow=grow: only the last one is in use
  {
    for (std::size_t i = 0; i < d.current; ++i)
    {
      hand_back(d, d.segments[i]);
    }
    d.segments = {d.segments[d.current]};
    d.current  = 0;
    d.arena    = d.segments[0].size;
  }
  cudaError_t error = cudaSuccess;
  for (const arena_segment &s : d.segments)
  {
    error = error == cudaSuccess ? clear_segment(d, s) : error;
  }
  if (d.lost != nullptr && error == cudaSuccess)
  {
    error = clear(d, d.lost, bytes_of_heads(d.arena));
  }
  d.fill.warps     = 0;
  d.fill.asked_at  = 0;
  d.fill.in_flight = false;
  return error == cudaSuccess ? cudaStreamSynchronize(d.stream) : error;
}

void free_segments(device_entry &d)
{
  for (const arena_segment &s : d.segments)
  {
    hand_back(d, s);
  }
  d.segments.clear();
}

} // namespace kinstr::rt
