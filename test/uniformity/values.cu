// What is the same in all lanes of a warp, by one kernel each: the first word of its name is the flow
// that kinstr has to find. warprows: the same where a warp is 32 neighbours along x.
// RUN: %kinstr %s -arch=sm_90 -std=c++20 --no-remarks -o %t.cu
// RUN: grep '^[a-z_].*KINSTR_KERNEL' %t.cu | count 111
// RUN: grep '^[a-z_].*KINSTR_KERNEL' %t.cu > %t.kernels
// RUN: not grep -vE 'void ([a-z]+)_.* KINSTR_KERNEL\([0-9]+, [a-z]+, [a-z]+, \1,' %t.kernels

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

#define FULL 0xffffffff
#define THREADS 64
constexpr int group = 32;
__constant__ int table[4];
struct pair { int x, y; __device__ void set() { x = threadIdx.x; } };
struct lane_of { int x; __device__ operator int() const { return threadIdx.x; } };
struct three { __host__ __device__ constexpr operator int() const { return 3; } };
struct no_state { __device__ operator int() const { return threadIdx.x; } };
__device__ three make_three(int);
namespace mine {
template <int> struct thread_block_tile { __device__ int meta_group_rank() { return threadIdx.x; } };
__device__ int __shfl_sync(unsigned, int, int) { return threadIdx.x; }
} // namespace mine
__device__ __forceinline__ int canonical_warp() { return threadIdx.x / 32; }
__device__ __forceinline__ int synced_warp() { return __shfl_sync(0xffffffff, threadIdx.x / 32, 0); }
template <class A, class B> __host__ __device__ constexpr auto rounded_up(A const &a, B const &b) {
  return (a + b - 1) / b * b;
}
__device__ bool elected() {
  int is;
  asm volatile("{ .reg .pred P; elect.sync _|P, -1; selp.s32 %0, 1, 0, P; }" : "=r"(is));
  return is;
}
__device__ void set(int &n) { n = threadIdx.x; }
__device__ void end(int n) {
  if (threadIdx.x < n)
    asm volatile("exit;");
}

// The index of a warp in the block.
__global__ void warprows_division(int *p, int n) {
  if (threadIdx.x / 32 == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_shift(int *p, int n) {
  if (threadIdx.x >> 5) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_long_shift(int *p, int n) {
  if (threadIdx.x >> 7) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_mask(int *p, int n) {
  if (threadIdx.x & ~31) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_bit(int *p, int n) {
  if (threadIdx.x & 64) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_warp_size(int *p, int n) {
  if (threadIdx.x / warpSize) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_constant(int *p, int n) {
  if (threadIdx.x / (2 * group)) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_macro(int *p, int n) {
  if (threadIdx.x / THREADS) {
    // @phase a
    p[0] = 1;
  }
}
template <int N> __global__ void warprows_template(int *p, int n) {
  if (threadIdx.x / N) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_variable(int *p, int n) {
  const int tid = threadIdx.x; int warp = tid / 32;
  if (warp == 0) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_part_of_group(int *p, int n) {
  if (threadIdx.x % 128 / 32 == 2) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_assigned(int *p, int n) {
  unsigned tid = threadIdx.x;
  if ((tid >>= 5) == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_minus(int *p, int n) {
  int tid = threadIdx.x;
  if ((tid - 128) >> 5) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_y(int *p, int n) {
  if (threadIdx.y == 3 && threadIdx.z == 0) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_linear(int *p, int n) {
  int tid = threadIdx.x + threadIdx.y * blockDim.x;
  if (tid / 32) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_linear_3d(int *p, int n) {
  int tid = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  if (tid / 32) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_less(int *p, int n) {
  if (threadIdx.x < 128) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_not_less(int *p, int n) {
  if (threadIdx.x >= 128u) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_greater(int *p, int n) {
  if (threadIdx.x > 127) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_mirrored(int *p, int n) {
  if (64 > threadIdx.x && 63 < threadIdx.x) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_multiple(int *p, int n) {
  if (threadIdx.x < n * 32) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_switch_like(int *p, int n) {
  if ((threadIdx.x < 64 ? 1 : 2) == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_loop(int *p, int n) {
  int x = 0; for (int w = threadIdx.x / 32; w < n; w += 4) ++x;
  if (x) {
    // @phase a
    p[0] = 1;
  }
}

// What cuts a group of 32 in two.
__global__ void divergent_short_division(int *p, int n) {
  if (threadIdx.x / 16) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_short_shift(int *p, int n) {
  if (threadIdx.x >> 4) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_low_mask(int *p, int n) {
  if (threadIdx.x & 96 + 1) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_lane(int *p, int n) {
  if (threadIdx.x % 32 == 0) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_less(int *p, int n) {
  if (threadIdx.x < 100) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_less_or_equal(int *p, int n) {
  if (threadIdx.x <= 128) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_greater(int *p, int n) {
  if (threadIdx.x > 128) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_equal(int *p, int n) {
  if (threadIdx.x == 32) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_unknown_bound(int *p, int n) {
  if (threadIdx.x < n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_by_variable(int *p, int n) {
  if (threadIdx.x / n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_odd_sum(int *p, int n) {
  if ((threadIdx.x + 1) / 32) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_moved(int *p, int n) {
  if ((threadIdx.x + n) / 32) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_product(int *p, int n) {
  if (threadIdx.x * 2 / 32) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_truth(int *p, int n) {
  if (threadIdx.x ? n : 0) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_double(int *p, int n) {
  if ((int)(threadIdx.x * 1.0) / 32) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_incremented(int *p, int n) {
  int tid = threadIdx.x; ++tid;
  if (tid / 32) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_assigned_by_some(int *p, int n) {
  int tid = threadIdx.x; if (threadIdx.x < n) tid = n;
  if (tid / 32) {
    // @phase a
    p[0] = 1;
  }
}

// Division rounds towards zero: -31 to 0 are one group to it.
__global__ void divergent_negative(int *p, int n) {
  int tid = threadIdx.x;
  if ((tid - 128) / 32) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_wrapped(int *p, int n) {
  int tid = threadIdx.x - 32u;
  if (tid / 32) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_narrow(int *p, int n) {
  signed char tid = threadIdx.x;
  if (tid / 32) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_wrapped_unsigned(int *p, int n) {
  if ((threadIdx.x - 128u) / 32) {
    // @phase a
    p[0] = 1;
  }
}

// Not the threads of a warp.
__global__ void divergent_other_product(int *p, int n) {
  int tid = threadIdx.x + threadIdx.y * blockDim.y;
  if (tid / 32) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_global_index(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i / 32) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void warprows_global_index(int *p, int n) {
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  if (i / 32) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_field(int *p, int n) {
  struct { int small : 3; } s = {(int)threadIdx.x};
  if (s.small / 32) {
    // @phase a
    p[0] = 1;
  }
}

// What the lanes of a warp agree on.
__global__ void uniform_shuffle(int *p, int n) {
  if (__shfl_sync(0xffffffff, p[threadIdx.x], 0)) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_shuffle_lane(int *p, int n) {
  if (__shfl_sync(~0u, p[threadIdx.x], n)) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_warp_index(int *p, int n) {
  if (__shfl_sync(0xffffffff, threadIdx.x / 32, 0)) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_ballot(int *p, int n) {
  if (__ballot_sync(FULL, threadIdx.x == 3)) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_any(int *p, int n) {
  if (__any_sync(FULL, p[threadIdx.x]) || __all_sync(-1, p[threadIdx.x])) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_reduced(int *p, int n) {
  if (__reduce_add_sync(FULL, threadIdx.x)) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_block(int *p, int n) {
  if (__syncthreads_or(p[threadIdx.x])) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_bits(int *p, int n) {
  if (__popc(__ballot_sync(FULL, p[threadIdx.x])) > 3) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_shuffle_lane(int *p, int n) {
  if (__shfl_sync(FULL, n, threadIdx.x)) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_shuffle_width(int *p, int n) {
  if (__shfl_sync(FULL, p[threadIdx.x], 0, 16)) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_shuffle_down(int *p, int n) {
  if (__shfl_down_sync(FULL, p[threadIdx.x], 1)) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_ballot_of_some(int *p, int n) {
  if (__ballot_sync(0xffff, threadIdx.x == 3)) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_ballot_of_mask(int *p, int n) {
  if (__ballot_sync(n, threadIdx.x == 3)) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_active(int *p, int n) {
  if (__activemask() == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_match(int *p, int n) {
  if (__match_any_sync(FULL, p[threadIdx.x])) {
    // @phase a
    p[0] = 1;
  }
}

// Cooperative groups.
__global__ void uniform_group_index(int *p, int n) {
  auto block = cg::this_thread_block();
  if (block.group_index().x == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_tile(int *p, int n) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  if (tile.meta_group_rank() == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_tile_ballot(int *p, int n) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  if (tile.ballot(p[threadIdx.x]) || tile.shfl(p[threadIdx.x], 3)) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_rank(int *p, int n) {
  cg::thread_block block = cg::this_thread_block();
  if (block.thread_rank() / 32 && cg::this_grid().block_rank()) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_rank(int *p, int n) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  if (tile.thread_rank() == 0) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_small_tile(int *p, int n) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  if (tile.meta_group_rank() == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_own_group(int *p, int n) {
  mine::thread_block_tile<32> g;
  if (g.meta_group_rank()) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_own_shuffle(int *p, int n) {
  if (mine::__shfl_sync(0xffffffff, n, 0)) {
    // @phase a
    p[0] = 1;
  }
}

// Memory that nobody writes.
__global__ void uniform_read_only(int *p, int n, const int *__restrict__ q) {
  if (q[n] == 3 && *(q + 1)) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_ldg(int *p, int n) {
  if (__ldg(p + blockIdx.x)) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_constant_memory(int *p, int n) {
  if (table[n]) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_written(int *p, int n, const int *q) {
  if (q[n] == 3) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_restrict_only(int *p, int n, int *__restrict__ q) {
  if (q[n] == 3) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_index(int *p, int n, const int *__restrict__ q) {
  if (q[threadIdx.x] == 3) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_moved_pointer(int *p, int n, const int *__restrict__ q) {
  q += threadIdx.x;
  if (q[n] == 3) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_volatile(int *p, int n, const volatile int *__restrict__ q) {
  if (q[n] == 3) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_ldg(int *p, int n) {
  if (__ldg(p + threadIdx.x)) {
    // @phase a
    p[0] = 1;
  }
}

// Registers.
__global__ void uniform_cluster_rank(int *p, int n) {
  unsigned rank; asm volatile("mov.u32 %0, %%cluster_ctarank;\n" : "=r"(rank) :);
  if (rank == 0) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_lane_register(int *p, int n) {
  unsigned lane; asm volatile("mov.u32 %0, %%laneid;\n" : "=r"(lane) :);
  if (lane == 0) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_two_instructions(int *p, int n) {
  unsigned rank; asm volatile("mov.u32 %0, %%cluster_ctarank; mov.u32 %0, %%laneid;" : "=r"(rank) :);
  if (rank == 0) {
    // @phase a
    p[0] = 1;
  }
}

// Objects and arrays of the function's own.
__global__ void uniform_local_array(int *p, int n) {
  int a[2] = {n, 3}; a[n & 1] = 4;
  if (a[1] == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_local_object(int *p, int n) {
  pair o{n, 3}; o.y = 4; pair copy = o;
  if (o.x == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_element(int *p, int n) {
  int a[2] = {n, 3}; a[threadIdx.x & 1] = 4;
  if (a[1] == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_stored(int *p, int n) {
  int a[2] = {n, 3}; a[0] = threadIdx.x;
  if (a[1] == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_initializer(int *p, int n) {
  int a[2] = {n, (int)threadIdx.x};
  if (a[1] == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_decayed(int *p, int n) {
  int a[2] = {n, 3}; int *q = a; q[1] = threadIdx.x;
  if (a[1] == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_copy(int *p, int n) {
  pair o{(int)threadIdx.x, 3}; pair copy = o;
  if (copy.x == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_method(int *p, int n) {
  pair o{n, 3}; o.set();
  if (o.x == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_assumed(int *p, int n) {
  __builtin_assume(n > 0);
  if (n > 3) {
    // @phase a
    p[0] = 1;
  }
}

// Loops over what has a size.
__global__ void uniform_range(int *p, int n) {
  int x = 0; for (int i : {1, 2, 3}) x += i;
  if (x == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_range_of_array(int *p, int n) {
  int a[2] = {n, 3}, x = 0; for (int i : a) x += i;
  if (x == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_range_elements(int *p, int n) {
  int x = 0; for (int i : {1, (int)threadIdx.x}) x += i;
  if (x == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_range_break(int *p, int n) {
  int x = 0; for (int i : {1, 2}) { if (p[threadIdx.x]) break; x += i; }
  if (x == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_range_written(int *p, int n) {
  int a[2] = {n, 3}; for (int &i : a) i = threadIdx.x;
  if (a[0] == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_range_converted(int *p, int n) {
  int x = 0; lane_of a[2]; for (int i : a) x += i;
  if (x == n) {
    // @phase a
    p[0] = 1;
  }
}

// Jumps.
__global__ void uniform_goto(int *p, int n) {
  again: if (n > 4) { --n; goto again; }
  if (n == 3) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_goto_out(int *p, int n) {
  if (n > 4) goto out; p[1] = 2; out:;
  if (n == 3) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_goto(int *p, int n) {
  again: if (threadIdx.x > n) { --n; goto again; }
  if (n == 3) {
    // @phase a
    p[0] = 1;
  }
}

// Functions with a result.
__global__ void warprows_canonical_warp(int *p, int n) {
  if (canonical_warp() == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_synced_warp(int *p, int n) {
  if (synced_warp() == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_rounded_up(int *p, int n) {
  if (rounded_up(n, 3) == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_rounded_up(int *p, int n) {
  if (rounded_up(n, p[0]) == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_elected(int *p, int n) {
  if (elected() == n) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_set(int *p, int n) {
  set(n);
  if (n == 3) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_empty_object(int *p, int n) {
  auto size = make_three(p[threadIdx.x]);
  if (n < size) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void divergent_empty_object(int *p, int n) {
  no_state lane;
  if (n < lane) {
    // @phase a
    p[0] = 1;
  }
}

// Functions that end the thread.
__global__ void divergent_ends(int *p, int n) {
  end(n);
  if (n == 3) {
    // @phase a
    p[0] = 1;
  }
}
__global__ void uniform_traps(int *p, int n) {
  if (threadIdx.x == n) __trap();
  if (n == 3) {
    // @phase a
    p[0] = 1;
  }
}
template __global__ void warprows_template<64>(int *, int);
