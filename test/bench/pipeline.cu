// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelined main loops, as variants for interleave.cu: C = A * B^T in bf16, tiles of 128 x 128 x 64
// in stages of shared memory.
//
//   multistage   every warp copies by cp.async and multiplies; a block-wide barrier a tile; two
//                blocks an SM, with hardly a register to spare
//   specialised  one warp copies by cp.async.bulk, eight multiply; mbarriers between them; a block
//                an SM, with registers to spare
//
// Both multiply by mma.sync, with 64 x 32 of C a warp. Marks: one a tile and role (@phase tile...),
// and one before each other step of it (@phase step_...): five a tile in the multistage kernel;
// four in consumers and two in producers of the other. cost.py takes the latter out where it
// measures one a tile.
//
//   arguments: multistage|specialised M N K      multiples of 128, 128 and 64
#include "variant.cuh"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <cuda_bf16.h>
#include <random>
#include <vector>

using bf16 = __nv_bfloat16;

constexpr int block_m     = 128;
constexpr int block_n     = 128;
constexpr int tile_k      = 64; // 128 bytes: a row of a tile has every bank once
constexpr int stages      = 3;  // multistage: two blocks an SM
constexpr int ring_stages = 6;  // specialised: one block an SM
constexpr int chunk       = 8;  // bf16 in the 16 bytes that one access moves
constexpr int row_chunks  = tile_k / chunk;
constexpr int tile_bytes  = block_m * tile_k * 2; // of A or of B
constexpr int stage_bytes = 2 * tile_bytes;
constexpr int consumers   = 8; // warps, two down and four across
constexpr int warp_m      = 64;
constexpr int warp_n      = 32;
constexpr int steps       = tile_k / 16; // of the tensor cores' K
constexpr int barriers    = 128;         // bytes behind the stages

// ------------------------------------------------------------------------------------------- PTX

__device__ __forceinline__ uint32_t shared_address(const void *p)
{
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

__device__ __forceinline__ void copy_async(uint32_t to, const void *from)
{
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

__device__ __forceinline__ void commit_copies()
{
  asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int Pending>
__device__ __forceinline__ void wait_for_copies()
{
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

__device__ __forceinline__ void load_matrices(uint32_t (&r)[4], uint32_t from)
{
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(from)
               : "memory");
}

__device__ __forceinline__ void multiply_add(float (&c)[4], const uint32_t (&a)[4], uint32_t b0,
                                             uint32_t b1)
{
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void barrier_init(uint32_t barrier, uint32_t arrivals)
{
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

__device__ __forceinline__ void barrier_arrive(uint32_t barrier)
{
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ __forceinline__ void barrier_arrive_expect(uint32_t barrier, uint32_t bytes)
{
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

/// Until the phase of this parity is complete.
__device__ __forceinline__ void barrier_wait(uint32_t barrier, uint32_t parity)
{
  asm volatile("{\n"
               ".reg .pred done;\n"
               "again:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               "@!done bra again;\n"
               "}\n" ::"r"(barrier),
               "r"(parity)
               : "memory");
}

/// What was initialised is seen by the copy engine.
__device__ __forceinline__ void fence_barrier_init()
{
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void copy_bulk(uint32_t to, const void *from, uint32_t bytes,
                                          uint32_t barrier)
{
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}

// ----------------------------------------------------------------------------- a tile, in one warp

/// Chunk `c` of row `r` in a tile: rotated by the row, so that eight rows of one column of chunks
/// lie in different banks.
__host__ __device__ constexpr int chunk_offset(int r, int c)
{
  return (r * row_chunks + (c ^ (r % row_chunks))) * chunk * 2;
}

/// 64 x 32 of C, in the registers of a warp: [16 rows][8 columns][...].
struct accumulators
{
  float c[warp_m / 16][warp_n / 8][4];
};

__device__ __forceinline__ void clear(accumulators &sum)
{
#pragma unroll
  for (int i = 0; i < warp_m / 16; ++i)
  {
#pragma unroll
    for (int j = 0; j < warp_n / 8; ++j)
    {
#pragma unroll
      for (int k = 0; k < 4; ++k)
      {
        sum.c[i][j][k] = 0.0f;
      }
    }
  }
}

/// Two of the four steps of K in the tile at `stage`.
template <int First>
__device__ __forceinline__ void multiply_half(accumulators &sum, uint32_t stage, int warp, int lane)
{
  const int m = warp / 4 * warp_m + lane % 16;
  const int n = warp % 4 * warp_n + lane % 8 + lane / 16 * 8;
#pragma unroll
  for (int step = First; step < First + steps / 2; ++step)
  {
    uint32_t a[warp_m / 16][4];
    uint32_t b[warp_n / 16][4];
#pragma unroll
    for (int i = 0; i < warp_m / 16; ++i)
    {
      load_matrices(a[i], stage + chunk_offset(m + i * 16, step * 2 + lane / 16));
    }
#pragma unroll
    for (int j = 0; j < warp_n / 16; ++j)
    {
      load_matrices(b[j], stage + tile_bytes + chunk_offset(n + j * 16, step * 2 + lane / 8 % 2));
    }
#pragma unroll
    for (int i = 0; i < warp_m / 16; ++i)
    {
#pragma unroll
      for (int j = 0; j < warp_n / 8; ++j)
      {
        multiply_add(sum.c[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
    }
  }
}

__device__ __forceinline__ void store(const accumulators &sum, bf16 *c, int columns, int warp,
                                      int lane)
{
  const size_t row = blockIdx.y * block_m + warp / 4 * warp_m + lane / 4;
  const int column = blockIdx.x * block_n + warp % 4 * warp_n + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < warp_m / 16; ++i)
  {
#pragma unroll
    for (int j = 0; j < warp_n / 8; ++j)
    {
      bf16 *const to = c + (row + i * 16) * columns + column + j * 8;
      *reinterpret_cast<__nv_bfloat162 *>(to) =
          __floats2bfloat162_rn(sum.c[i][j][0], sum.c[i][j][1]);
      *reinterpret_cast<__nv_bfloat162 *>(to + 8 * static_cast<size_t>(columns)) =
          __floats2bfloat162_rn(sum.c[i][j][2], sum.c[i][j][3]);
    }
  }
}

// ------------------------------------------------------------------------------------- multistage

/// This thread's part of one tile of A and of B, whose rows have `k` elements.
__device__ __forceinline__ void copy_tile(uint32_t stage, const bf16 *a, const bf16 *b, int k)
{
  constexpr int rows_at_once = consumers * 32 / row_chunks;
  const int row              = threadIdx.x / row_chunks;
  const int column           = threadIdx.x % row_chunks;
#pragma unroll
  for (int i = 0; i < block_m / rows_at_once; ++i)
  {
    const int r       = row + i * rows_at_once;
    const size_t from = static_cast<size_t>(r) * k + column * chunk;
    copy_async(stage + chunk_offset(r, column), a + from);
    copy_async(stage + tile_bytes + chunk_offset(r, column), b + from);
  }
}

/// A and B: rows of k elements.
__global__ void __launch_bounds__(consumers * 32, 2)
    multistage(const bf16 *__restrict__ a, const bf16 *__restrict__ b, bf16 *__restrict__ c, int n,
               int k)
{
  extern __shared__ __align__(1024) unsigned char memory[];
  const uint32_t shared = shared_address(memory);
  const int warp        = threadIdx.x / 32;
  const int lane        = threadIdx.x % 32;
  const int tiles       = k / tile_k;
  a += static_cast<size_t>(blockIdx.y) * block_m * k;
  b += static_cast<size_t>(blockIdx.x) * block_n * k;

  accumulators sum;
  clear(sum);
  for (int t = 0; t < stages - 1; ++t)
  {
    if (t < tiles)
    {
      copy_tile(shared + t * stage_bytes, a + t * tile_k, b + t * tile_k, k);
    }
    commit_copies();
  }

  int stage = 0;
  for (int t = 0; t < tiles; ++t)
  {
    // @phase tile
    wait_for_copies<stages - 2>();
    // @phase step_barrier
    __syncthreads();
    // @phase step_copy
    const int next = t + stages - 1;
    if (next < tiles)
    {
      const int free = stage == 0 ? stages - 1 : stage - 1;
      copy_tile(shared + free * stage_bytes, a + next * tile_k, b + next * tile_k, k);
    }
    commit_copies(); // also an empty group: the wait above counts groups
    // @phase step_multiply
    multiply_half<0>(sum, shared + stage * stage_bytes, warp, lane);
    // @phase step_multiply2
    multiply_half<steps / 2>(sum, shared + stage * stage_bytes, warp, lane);
    stage = stage == stages - 1 ? 0 : stage + 1;
  }
  // @phase store
  store(sum, c, n, warp, lane);
}

// ------------------------------------------------------------------------------------ specialised

/// A place in the ring of stages, and how often it came round.
struct ring
{
  uint32_t stage  = 0;
  uint32_t parity = 0;

  __device__ __forceinline__ void advance()
  {
    if (++stage == ring_stages)
    {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// A and B: tile by tile, each as it lies in shared memory.
__global__ void __launch_bounds__((consumers + 1) * 32)
    specialised(const unsigned char *__restrict__ a, const unsigned char *__restrict__ b,
                bf16 *__restrict__ c, int n, int k)
{
  extern __shared__ __align__(1024) unsigned char memory[];
  const uint32_t shared = shared_address(memory);
  const uint32_t full   = shared + ring_stages * stage_bytes;
  const uint32_t empty  = full + ring_stages * 8;
  const int warp        = threadIdx.x / 32;
  const int lane        = threadIdx.x % 32;
  const int tiles       = k / tile_k;

  if (threadIdx.x == 0)
  {
    for (int s = 0; s < ring_stages; ++s)
    {
      barrier_init(full + s * 8, 1);
      barrier_init(empty + s * 8, consumers);
    }
    fence_barrier_init();
  }
  __syncthreads();

  ring at;
  if (warp == consumers)
  {
    a += static_cast<size_t>(blockIdx.y) * tiles * tile_bytes;
    b += static_cast<size_t>(blockIdx.x) * tiles * tile_bytes;
    for (int t = 0; t < tiles; ++t)
    {
      // @phase tile_producer
      barrier_wait(empty + at.stage * 8, at.parity ^ 1); // the first time round they count as empty
      // @phase step_copy
      if (lane == 0)
      {
        const uint32_t to = shared + at.stage * stage_bytes;
        barrier_arrive_expect(full + at.stage * 8, stage_bytes);
        copy_bulk(to, a + static_cast<size_t>(t) * tile_bytes, tile_bytes, full + at.stage * 8);
        copy_bulk(to + tile_bytes, b + static_cast<size_t>(t) * tile_bytes, tile_bytes,
                  full + at.stage * 8);
      }
      at.advance();
    }
  }
  else
  {
    accumulators sum;
    clear(sum);
    for (int t = 0; t < tiles; ++t)
    {
      // @phase tile_consumer
      barrier_wait(full + at.stage * 8, at.parity);
      // @phase step_multiply
      multiply_half<0>(sum, shared + at.stage * stage_bytes, warp, lane);
      // @phase step_multiply2
      multiply_half<steps / 2>(sum, shared + at.stage * stage_bytes, warp, lane);
      // @phase step_release
      __syncwarp();
      if (lane == 0)
      {
        barrier_arrive(empty + at.stage * 8);
      }
      at.advance();
    }
    // @phase store
    store(sum, c, n, warp, lane);
  }
}

// ------------------------------------------------------------------------------------------ inputs

/// In [-1, 1), from the index alone, so that the host knows every element without having it.
__host__ __device__ bf16 element(uint64_t matrix, uint64_t row, uint64_t column)
{
  uint64_t z = (matrix << 60 | row << 30 | column) + 0x9e3779b97f4a7c15u;
  z          = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z          = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z          = z ^ (z >> 31);
  return __float2bfloat16(static_cast<float>(static_cast<int64_t>(z) >> 40) * 0x1p-23f);
}

__global__ void fill(bf16 *to, uint64_t matrix, int rows, int k, bool tiled)
{
  const uint64_t row    = blockIdx.x;
  unsigned char *origin = reinterpret_cast<unsigned char *>(to);
  for (int column = threadIdx.x; column < k; column += blockDim.x)
  {
    const uint64_t tile = row / block_m * (k / tile_k) + column / tile_k;
    const int in_tile   = chunk_offset(row % block_m, column % tile_k / chunk);
    bf16 *const place =
        tiled ? reinterpret_cast<bf16 *>(origin + tile * tile_bytes + in_tile) + column % chunk
              : to + row * k + column;
    *place = element(matrix, row, column);
  }
}

struct inputs
{
  bool specialised;
  int m, n, k;
  bf16 *a, *b, *c;

  int threads() const { return (specialised ? consumers + 1 : consumers) * 32; }
  int shared_bytes() const
  {
    return specialised ? ring_stages * stage_bytes + barriers : stages * stage_bytes;
  }
};

/// Of this library's own copy of the kernel.
void allow_shared_memory(const inputs &in)
{
  const auto most = cudaFuncAttributeMaxDynamicSharedMemorySize;
  if (in.specialised)
  {
    BENCH_CHECK(cudaFuncSetAttribute(specialised, most, in.shared_bytes()));
  }
  else
  {
    BENCH_CHECK(cudaFuncSetAttribute(multistage, most, in.shared_bytes()));
  }
}

void *bench_setup(int count, char **arguments)
{
  if (count != 4)
  {
    std::fprintf(stderr, "pipeline: arguments: multistage|specialised M N K\n");
    std::_Exit(1);
  }
  auto *in        = new inputs;
  in->specialised = std::strcmp(arguments[0], "specialised") == 0;
  in->m           = std::atoi(arguments[1]);
  in->n           = std::atoi(arguments[2]);
  in->k           = std::atoi(arguments[3]);
  if (in->m <= 0 || in->n <= 0 || in->k <= 0 ||
      in->m % block_m + in->n % block_n + in->k % tile_k != 0)
  {
    std::fprintf(stderr, "pipeline: M, N and K are multiples of 128, 128 and 64\n");
    std::_Exit(1);
  }
  const size_t k = in->k;
  BENCH_CHECK(cudaMalloc(&in->a, in->m * k * sizeof(bf16)));
  BENCH_CHECK(cudaMalloc(&in->b, in->n * k * sizeof(bf16)));
  BENCH_CHECK(cudaMalloc(&in->c, static_cast<size_t>(in->m) * in->n * sizeof(bf16)));
  fill<<<in->m, 256>>>(in->a, 0, in->m, in->k, in->specialised);
  fill<<<in->n, 256>>>(in->b, 1, in->n, in->k, in->specialised);
  BENCH_CHECK(cudaDeviceSynchronize());
  return in;
}

void bench_launch(void *p)
{
  const auto &in            = *static_cast<inputs *>(p);
  static const bool allowed = (allow_shared_memory(in), true);
  static_cast<void>(allowed);
  const dim3 grid(in.n / block_n, in.m / block_m);
  if (in.specialised)
  {
    specialised<<<grid, in.threads(), in.shared_bytes()>>>(
        reinterpret_cast<const unsigned char *>(in.a),
        reinterpret_cast<const unsigned char *>(in.b), in.c, in.n, in.k);
  }
  else
  {
    multistage<<<grid, in.threads(), in.shared_bytes()>>>(in.a, in.b, in.c, in.n, in.k);
  }
  BENCH_CHECK(cudaGetLastError());
}

/// 512 elements, drawn at random.
bool bench_is_right(void *p)
{
  const auto &in        = *static_cast<inputs *>(p);
  const size_t elements = static_cast<size_t>(in.m) * in.n;
  std::vector<bf16> c(elements);
  BENCH_CHECK(cudaMemset(in.c, 0xff, elements * sizeof(bf16))); // NaNs, and thus wrong
  bench_launch(p);
  BENCH_CHECK(cudaMemcpy(c.data(), in.c, elements * sizeof(bf16), cudaMemcpyDeviceToHost));

  std::mt19937_64 random(1);
  for (int i = 0; i < 512; ++i)
  {
    const size_t row = random() % in.m, column = random() % in.n;
    double expected = 0;
    for (int k = 0; k < in.k; ++k)
    {
      expected += static_cast<double>(__bfloat162float(element(0, row, k))) *
                  static_cast<double>(__bfloat162float(element(1, column, k)));
    }
    const double got = __bfloat162float(c[row * in.n + column]);
    if (!(std::fabs(got - expected) <= 0.01 * std::fabs(expected) + 0.01)) // a NaN is wrong, too
    {
      std::fprintf(stderr, "pipeline: C[%zu][%zu] is %g instead of %g\n", row, column, got,
                   expected);
      return false;
    }
  }
  return true;
}

bench_resources bench_take_resources(void *p)
{
  const auto &in = *static_cast<inputs *>(p);
  return in.specialised ? bench::take_resources(specialised, in.threads(), in.shared_bytes())
                        : bench::take_resources(multistage, in.threads(), in.shared_bytes());
}

BENCH_COUNT_RECORDS
