// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RMSNorm over rows of bf16:  y[r][i] = x[r][i] * w[i] / sqrt(mean(x[r]^2) + eps)
//
// One block per row and one 128-bit vector (eight bf16) per thread, so a row is read once, stays in
// registers across the reduction, and is written once. The program times the kernel, and checks
// every element against a double-precision reference computed on the CPU from the same bf16 inputs.
//
//   nvcc -std=c++17 -O3 -arch=sm_90 rmsnorm.cu -o rmsnorm && ./rmsnorm --rows 432 --hidden 5120

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <utility>
#include <vector>

using bf16 = __nv_bfloat16;

constexpr int warp_size  = 32;
constexpr int vector_len = 8; // bf16 in 128 bits, the widest access a thread can make
constexpr int max_warps  = 32;
constexpr int max_hidden = max_warps * warp_size * vector_len;
constexpr float epsilon  = 1e-6f;

// ---------------------------------------------------------------------------------------- kernel

struct alignas(16) bf16x8
{
  __nv_bfloat162 pair[vector_len / 2];
};

// Through uint4, because the compiler would load the struct pair by pair.
__device__ __forceinline__ bf16x8 load_vector(const bf16 *__restrict__ source)
{
  const uint4 bits = *reinterpret_cast<const uint4 *>(source);
  bf16x8 vector;
  memcpy(&vector, &bits, sizeof vector);
  return vector;
}

// The output is not read again by this kernel: store it evict-first (.cs), so that it does not push
// the inputs of the blocks still to come out of L2.
__device__ __forceinline__ void store_vector_streaming(bf16 *destination, const bf16x8 &vector)
{
  uint4 bits;
  memcpy(&bits, &vector, sizeof bits);
  asm volatile("st.global.cs.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(destination), "r"(bits.x),
               "r"(bits.y), "r"(bits.z), "r"(bits.w)
               : "memory");
}

// The sum over the warp, in every lane.
__device__ __forceinline__ float warp_sum(float value)
{
#pragma unroll
  for (int distance = warp_size / 2; distance > 0; distance /= 2)
  {
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  }
  return value;
}

// Grid: one block per row. Block: NWARPS warps, at least hidden / 8 threads. The threads beyond
// that own no data, but take part in the reductions: the shuffles name all 32 lanes.
template <int NWARPS>
__global__ void __launch_bounds__(NWARPS * 32)
    rmsnorm_kernel(const bf16 *__restrict__ x, const bf16 *__restrict__ weight,
                   bf16 *__restrict__ y, int hidden, float eps)
{
  __shared__ float warp_sums[NWARPS];
  __shared__ float block_inv_rms;

  const int thread        = static_cast<int>(threadIdx.x);
  const int lane          = thread % warp_size;
  const int warp          = thread / warp_size;
  const int column        = thread * vector_len;
  const bool owns_data    = column < hidden;
  const size_t row_offset = static_cast<size_t>(blockIdx.x) * hidden;

  // @phase load_sumsq
  float values[vector_len];
  float sum = 0.0f;
  if (owns_data)
  {
    const bf16x8 in = load_vector(x + row_offset + column);
#pragma unroll
    for (int i = 0; i < vector_len / 2; ++i)
    {
      const float2 v    = __bfloat1622float2(in.pair[i]);
      values[2 * i]     = v.x;
      values[2 * i + 1] = v.y;
      sum += v.x * v.x + v.y * v.y;
    }
  }

  // @phase warp_reduce
  sum = warp_sum(sum);

  // @phase block_reduce
  if (lane == 0)
  {
    warp_sums[warp] = sum;
  }

  // @phase barrier
  __syncthreads();

  // @phase cross_reduce
  if (warp == 0)
  {
    sum = warp_sum(lane < NWARPS ? warp_sums[lane] : 0.0f);
    if (lane == 0)
    {
      block_inv_rms = rsqrtf(sum / static_cast<float>(hidden) + eps);
    }
  }

  // @phase barrier
  __syncthreads();

  // @phase normalize
  bf16x8 out;
  if (owns_data)
  {
    const float inv_rms = block_inv_rms;
    const bf16x8 w      = load_vector(weight + column);
#pragma unroll
    for (int i = 0; i < vector_len / 2; ++i)
    {
      const float2 scale = __bfloat1622float2(w.pair[i]);
      out.pair[i]        = __floats2bfloat162_rn(values[2 * i] * inv_rms * scale.x,
                                                 values[2 * i + 1] * inv_rms * scale.y);
    }
  }

  // @phase store
  if (owns_data)
  {
    store_vector_streaming(y + row_offset + column, out);
  }
}

// ---------------------------------------------------------------------------------------- launch

struct tensors
{
  const bf16 *x;
  const bf16 *weight;
  bf16 *y;
};

template <int NWARPS>
void launch(const tensors &device, int rows, int hidden)
{
  rmsnorm_kernel<NWARPS>
      <<<rows, NWARPS * warp_size>>>(device.x, device.weight, device.y, hidden, epsilon);
}

using launcher = void (*)(const tensors &, int, int);

template <int... I>
constexpr std::array<launcher, max_warps> make_launchers(std::integer_sequence<int, I...>)
{
  return {{launch<I + 1>...}};
}

// Picks the kernel with the fewest warps that cover a row: the block size is a template argument so
// that the compiler sees it, and a warp too many would only wait at the barriers.
launcher find_launcher(int hidden)
{
  static constexpr auto launchers = make_launchers(std::make_integer_sequence<int, max_warps>{});
  const int elements_per_warp     = warp_size * vector_len;
  return launchers[(hidden - 1) / elements_per_warp];
}

// ---------------------------------------------------------------------------------- command line

struct options
{
  int rows      = 432;
  int hidden    = 5120;
  int warmup    = 3;
  int repeat    = 20;
  bool flush_l2 = true;
  bool check    = true;
};

constexpr const char *usage =
    "usage: rmsnorm [options]\n"
    "  --rows N           rows, one block each, 1 to 2147483647 (default 432)\n"
    "  --hidden N         elements in a row, a multiple of 8, 8 to 8192 (default 5120)\n"
    "  --warmup N         launches before the timed ones (default 3)\n"
    "  --repeat N         timed launches, of which the median is printed (default 20)\n"
    "  --flush-l2 on|off  evict the inputs from L2 before each launch (default on)\n"
    "  --check on|off     compare the result with a CPU reference (default on)\n"
    "  --help             print this and exit\n"
    "exit status: 0 done, 1 wrong result or CUDA error, 2 wrong command line\n";

[[noreturn]] void usage_error(const char *option, const char *problem)
{
  std::fprintf(stderr, "rmsnorm: error: %s %s\n%s", option, problem, usage);
  std::exit(2);
}

int parse_int(const char *option, const char *text, int min)
{
  char *end        = nullptr;
  errno            = 0;
  const long value = std::strtol(text, &end, 10);
  if (end == text || *end != '\0' || errno == ERANGE || value < min || value > INT32_MAX)
  {
    char problem[128];
    std::snprintf(problem, sizeof problem, "takes a whole number from %d to %d, not '%.40s'", min,
                  INT32_MAX, text);
    usage_error(option, problem);
  }
  return static_cast<int>(value);
}

bool parse_switch(const char *option, const char *text)
{
  const bool on = std::strcmp(text, "on") == 0;
  if (!on && std::strcmp(text, "off") != 0)
  {
    usage_error(option, "takes 'on' or 'off'");
  }
  return on;
}

options parse_command_line(int argc, char **argv)
{
  options opts;
  for (int i = 1; i < argc; i += 2)
  {
    const char *name = argv[i];
    const auto is    = [name](const char *option) { return std::strcmp(name, option) == 0; };
    if (is("--help"))
    {
      std::fputs(usage, stdout);
      std::exit(0);
    }
    // "--rows" at the very end has no value: the empty one is refused by every parser below.
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (is("--rows"))
    {
      opts.rows = parse_int(name, value, 1);
    }
    else if (is("--hidden"))
    {
      opts.hidden = parse_int(name, value, 1);
      if (opts.hidden % vector_len != 0 || opts.hidden > max_hidden)
      {
        usage_error(name, "must be a multiple of 8, from 8 to 8192");
      }
    }
    else if (is("--warmup"))
    {
      opts.warmup = parse_int(name, value, 0);
    }
    else if (is("--repeat"))
    {
      opts.repeat = parse_int(name, value, 1);
    }
    else if (is("--flush-l2"))
    {
      opts.flush_l2 = parse_switch(name, value);
    }
    else if (is("--check"))
    {
      opts.check = parse_switch(name, value);
    }
    else
    {
      usage_error(name, "is not an option");
    }
  }
  return opts;
}

// ------------------------------------------------------------------------------- inputs and check

// Splits the rows into `parts` ranges and calls body(first, last, part) for each on its own thread.
template <class Body>
void for_row_ranges(int rows, int parts, Body body)
{
  std::vector<std::thread> threads;
  for (int part = 0; part < parts; ++part)
  {
    const auto first = static_cast<int>(static_cast<int64_t>(rows) * part / parts);
    const auto last  = static_cast<int>(static_cast<int64_t>(rows) * (part + 1) / parts);
    threads.emplace_back(body, first, last, part);
  }
  for (std::thread &thread : threads)
  {
    thread.join();
  }
}

int cpu_cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

// Uniform in [-1, 1), the same for the same index whatever thread asks (the splitmix64 finaliser).
float random_value(uint64_t index)
{
  uint64_t z = (index + 1) * 0x9e3779b97f4a7c15u;
  z          = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z          = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  z          = z ^ (z >> 31);
  return static_cast<float>(static_cast<int64_t>(z) >> 40) * 0x1p-23f;
}

// Rows differ in magnitude by up to 64: with equal ones, a kernel that normalised a row by another
// row's sum would pass the check.
std::vector<bf16> make_input(int rows, int hidden)
{
  std::vector<bf16> x(static_cast<size_t>(rows) * hidden);
  for_row_ranges(rows, cpu_cores(),
                 [&x, hidden](int first, int last, int)
                 {
                   for (int row = first; row < last; ++row)
                   {
                     const float magnitude = std::ldexp(1.0f, row % 7 - 3);
                     const size_t offset   = static_cast<size_t>(row) * hidden;
                     for (size_t i = offset; i < offset + hidden; ++i)
                     {
                       x[i] = __float2bfloat16(magnitude * random_value(i));
                     }
                   }
                 });
  return x;
}

std::vector<bf16> make_weight(int hidden)
{
  std::vector<bf16> weight(hidden);
  for (int i = 0; i < hidden; ++i)
  {
    weight[i] = __float2bfloat16(1.0f + 0.5f * random_value(~static_cast<uint64_t>(i)));
  }
  return weight;
}

struct comparison
{
  double worst     = 0.0; // largest relative error
  int64_t wrong    = 0;   // elements whose error is above the tolerance, or not a number
  int first_row    = 0;   // the first of them
  int first_column = 0;
  double got       = 0.0;
  double expected  = 0.0;
};

// bf16 keeps eight significant bits: rounding the result alone costs up to 2^-8 = 0.39 %.
constexpr double tolerance = 1e-2;

void compare_row(const bf16 *x, const bf16 *weight, const bf16 *y, int row, int hidden,
                 comparison &result)
{
  double sum = 0.0;
  for (int i = 0; i < hidden; ++i)
  {
    const double v = __bfloat162float(x[i]);
    sum += v * v;
  }
  const double inv_rms = 1.0 / std::sqrt(sum / hidden + static_cast<double>(epsilon));

  for (int i = 0; i < hidden; ++i)
  {
    const double expected = static_cast<double>(__bfloat162float(x[i])) * inv_rms *
                            static_cast<double>(__bfloat162float(weight[i]));
    const double got      = __bfloat162float(y[i]);
    const double error    = std::fabs(got - expected);
    // Written so that a NaN is wrong, and a zero must be exactly zero.
    if (!(error <= tolerance * std::fabs(expected)))
    {
      if (result.wrong++ == 0)
      {
        result.first_row    = row;
        result.first_column = i;
        result.got          = got;
        result.expected     = expected;
      }
    }
    else if (error > result.worst * std::fabs(expected))
    {
      result.worst = error / std::fabs(expected);
    }
  }
}

comparison compare(const std::vector<bf16> &x, const std::vector<bf16> &weight,
                   const std::vector<bf16> &y, int rows, int hidden)
{
  const int parts = cpu_cores();
  std::vector<comparison> results(parts);
  for_row_ranges(
      rows, parts,
      [&](int first, int last, int part)
      {
        comparison local; // on this thread's stack: neighbours in `results` share cache lines
        for (int row = first; row < last; ++row)
        {
          const size_t offset = static_cast<size_t>(row) * hidden;
          compare_row(&x[offset], weight.data(), &y[offset], row, hidden, local);
        }
        results[part] = local;
      });

  comparison total;
  for (const comparison &part : results)
  {
    const double worst  = std::max(total.worst, part.worst);
    const int64_t wrong = total.wrong + part.wrong;
    if (total.wrong == 0)
    {
      total = part;
    }
    total.worst = worst;
    total.wrong = wrong;
  }
  return total;
}

// ------------------------------------------------------------------------------------------- main

void check_cuda(cudaError_t status, const char *call, int line)
{
  if (status != cudaSuccess)
  {
    std::fprintf(stderr, "%s:%d: error: %s: %s\n", __FILE__, line, call,
                 cudaGetErrorString(status));
    std::exit(1);
  }
}

#define CHECK_CUDA(call) check_cuda((call), #call, __LINE__)

// Microseconds of the median timed launch. Everything is queued before anything is waited for, so
// the time between two events is the kernel's and holds no launch latency.
float time_launches(const options &opts, const tensors &device)
{
  int l2_bytes = 0;
  CHECK_CUDA(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
  const size_t flush_bytes = 2 * static_cast<size_t>(l2_bytes);
  void *flush              = nullptr;
  if (opts.flush_l2)
  {
    CHECK_CUDA(cudaMalloc(&flush, flush_bytes));
  }

  const auto evict_l2 = [&]
  {
    if (flush != nullptr)
    {
      CHECK_CUDA(cudaMemsetAsync(flush, 0, flush_bytes));
    }
  };
  const launcher launch_rmsnorm = find_launcher(opts.hidden);

  std::vector<cudaEvent_t> start(opts.repeat), stop(opts.repeat);
  for (int i = 0; i < opts.repeat; ++i)
  {
    CHECK_CUDA(cudaEventCreate(&start[i]));
    CHECK_CUDA(cudaEventCreate(&stop[i]));
  }

  for (int i = 0; i < opts.warmup; ++i)
  {
    evict_l2();
    launch_rmsnorm(device, opts.rows, opts.hidden);
    CHECK_CUDA(cudaGetLastError());
  }

  for (int i = 0; i < opts.repeat; ++i)
  {
    evict_l2();
    CHECK_CUDA(cudaEventRecord(start[i]));
    launch_rmsnorm(device, opts.rows, opts.hidden);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(stop[i]));
  }
  CHECK_CUDA(cudaDeviceSynchronize());

  std::vector<float> microseconds;
  for (int i = 0; i < opts.repeat; ++i)
  {
    float milliseconds = 0.0f;
    CHECK_CUDA(cudaEventElapsedTime(&milliseconds, start[i], stop[i]));
    microseconds.push_back(1e3f * milliseconds);
    CHECK_CUDA(cudaEventDestroy(start[i]));
    CHECK_CUDA(cudaEventDestroy(stop[i]));
  }
  CHECK_CUDA(cudaFree(flush));

  const auto median = microseconds.begin() + opts.repeat / 2;
  std::nth_element(microseconds.begin(), median, microseconds.end());
  return *median;
}

int run(const options &opts)
{
  const size_t elements = static_cast<size_t>(opts.rows) * opts.hidden;
  const size_t bytes    = elements * sizeof(bf16);

  bf16 *x      = nullptr;
  bf16 *weight = nullptr;
  bf16 *y      = nullptr;
  CHECK_CUDA(cudaMalloc(&x, bytes));
  CHECK_CUDA(cudaMalloc(&weight, opts.hidden * sizeof(bf16)));
  CHECK_CUDA(cudaMalloc(&y, bytes));

  const std::vector<bf16> host_x      = make_input(opts.rows, opts.hidden);
  const std::vector<bf16> host_weight = make_weight(opts.hidden);
  CHECK_CUDA(cudaMemcpy(x, host_x.data(), bytes, cudaMemcpyHostToDevice));
  CHECK_CUDA(
      cudaMemcpy(weight, host_weight.data(), opts.hidden * sizeof(bf16), cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemset(y, 0xff, bytes)); // 0xffff is a NaN: an element never written is found

  const float microseconds = time_launches(opts, {x, weight, y});

  comparison result;
  if (opts.check)
  {
    std::vector<bf16> host_y(elements);
    CHECK_CUDA(cudaMemcpy(host_y.data(), y, bytes, cudaMemcpyDeviceToHost));
    result = compare(host_x, host_weight, host_y, opts.rows, opts.hidden);
  }
  CHECK_CUDA(cudaFree(x));
  CHECK_CUDA(cudaFree(weight));
  CHECK_CUDA(cudaFree(y));

  if (result.wrong != 0)
  {
    std::fprintf(stderr,
                 "rmsnorm: error: %lld of %zu elements are wrong, the first at row %d, column %d: "
                 "got %g, expected %g\n",
                 static_cast<long long>(result.wrong), elements, result.first_row,
                 result.first_column, result.got, result.expected);
    return 1;
  }

  const double moved = 2.0 * static_cast<double>(bytes) + sizeof(bf16) * opts.hidden;
  std::printf("rmsnorm %d x %d: %.2f us, %.1f GB/s (median of %d, L2 %s)", opts.rows, opts.hidden,
              microseconds, moved / (1e3 * microseconds), opts.repeat,
              opts.flush_l2 ? "flushed" : "warm");
  if (opts.check)
  {
    std::printf(", correct (worst relative error %.2e)\n", result.worst);
  }
  else
  {
    std::printf(", not checked\n");
  }
  return 0;
}

int main(int argc, char **argv)
{
  const options opts = parse_command_line(argc, argv);
  try
  {
    return run(opts);
  }
  catch (const std::bad_alloc &)
  {
    std::fprintf(stderr, "rmsnorm: error: not enough host memory for %d x %d\n", opts.rows,
                 opts.hidden);
    return 1;
  }
}
