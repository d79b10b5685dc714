// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times variants of one kernel (variant.cuh) in one process, launch by launch:
//
//   interleave ROUNDS SEED NAME LIBRARY OPTIONS [NAME LIBRARY OPTIONS]... -- ARGUMENTS...
//
// OPTIONS: the KINSTR_OPTIONS of this variant, "" for none. In each round every variant has a turn,
// in a new random order. A turn is two launches, L2 flushed before each: the first comes right
// after another variant's kernel and finds cold instruction caches, the second does not. Printed:
//
//   first NAME    microseconds of the first launches, round by round
//   second NAME   of the second ones
//   resources NAME registers local_bytes static_shared dynamic_shared blocks_per_sm
//   records NAME  words dropped_records launches
//   right NAME    0 or 1: whether the result is what it should be
//
// tab-separated. The traces are not written: what is measured here is the kernels' time.
#include "variant.cuh"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

namespace
{

constexpr int warm_up           = 3;
constexpr int launches_a_turn   = 2;
constexpr unsigned hold_time_ns = 500000;

struct variant
{
  std::string name;
  decltype(&bench_setup) setup;
  decltype(&bench_launch) launch;
  decltype(&bench_is_right) is_right;
  decltype(&bench_take_resources) take_resources;
  decltype(&bench_count_records) count_records;
  cudaEvent_t begin[launches_a_turn], end[launches_a_turn];
  std::vector<float> microseconds[launches_a_turn];
  int launches = 0;
};

[[noreturn]] void fail(const std::string &what)
{
  std::fprintf(stderr, "interleave: %s\n", what.c_str());
  std::exit(1);
}

template <typename Function>
void find(void *library, const char *name, Function &function)
{
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr)
  {
    fail(dlerror());
  }
}

/// From a copy of the file: dlopen() would hand out the same library again, and with it the same
/// kinstr, which has its options already.
void *open_copy(const std::string &file)
{
  namespace fs        = std::filesystem;
  static int copies   = 0;
  const fs::path copy = fs::temp_directory_path() / ("kinstr-bench-" + std::to_string(getpid()) +
                                                     "-" + std::to_string(copies++) + ".so");
  fs::copy_file(file, copy, fs::copy_options::overwrite_existing);
  void *library = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  fs::remove(copy);
  if (library == nullptr)
  {
    fail(dlerror());
  }
  return library;
}

variant load(char **words)
{
  variant v;
  v.name = words[0];
  setenv("KINSTR_OPTIONS", words[2], 1); // read when the library registers its kernels
  void *library = open_copy(words[1]);
  find(library, "bench_setup", v.setup);
  find(library, "bench_launch", v.launch);
  find(library, "bench_is_right", v.is_right);
  find(library, "bench_take_resources", v.take_resources);
  find(library, "bench_count_records", v.count_records);
  for (int i = 0; i < launches_a_turn; ++i)
  {
    BENCH_CHECK(cudaEventCreate(&v.begin[i]));
    BENCH_CHECK(cudaEventCreate(&v.end[i]));
  }
  return v;
}

/// Keeps the device busy until the host is ahead of it: no launch is waited for between events.
__global__ void hold(unsigned nanoseconds)
{
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do
  {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
}

/// Twice the size of L2, to be overwritten.
struct l2_flush
{
  void *memory = nullptr;
  size_t bytes = 0;

  l2_flush()
  {
    int l2 = 0;
    BENCH_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
    bytes = 2 * static_cast<size_t>(l2);
    BENCH_CHECK(cudaMalloc(&memory, bytes));
  }
  void operator()() const { BENCH_CHECK(cudaMemsetAsync(memory, 0, bytes)); }
};

void turn(variant &v, void *inputs, const l2_flush &flush)
{
  for (int i = 0; i < launches_a_turn; ++i)
  {
    flush();
    BENCH_CHECK(cudaEventRecord(v.begin[i]));
    v.launch(inputs);
    BENCH_CHECK(cudaEventRecord(v.end[i]));
  }
  v.launches += launches_a_turn;
}

void one_round(std::vector<variant> &variants, void *inputs, const l2_flush &flush,
               std::mt19937 &random)
{
  std::vector<variant *> order;
  for (variant &v : variants)
  {
    order.push_back(&v);
  }
  std::shuffle(order.begin(), order.end(), random);

  hold<<<1, 1>>>(hold_time_ns);
  for (variant *v : order)
  {
    turn(*v, inputs, flush);
  }
  BENCH_CHECK(cudaDeviceSynchronize());
  for (variant *v : order)
  {
    for (int i = 0; i < launches_a_turn; ++i)
    {
      float milliseconds = 0;
      BENCH_CHECK(cudaEventElapsedTime(&milliseconds, v->begin[i], v->end[i]));
      v->microseconds[i].push_back(1e3f * milliseconds);
    }
  }
}

void print_times(const char *what, const variant &v, const std::vector<float> &microseconds)
{
  std::printf("%s\t%s\t", what, v.name.c_str());
  for (const float us : microseconds)
  {
    std::printf("%.3f ", us);
  }
  std::printf("\n");
}

void print(const variant &v, void *inputs)
{
  print_times("first", v, v.microseconds[0]);
  print_times("second", v, v.microseconds[1]);
  const bench_resources r = v.take_resources(inputs);
  std::printf("resources\t%s\t%d %d %d %d %d\n", v.name.c_str(), r.registers, r.local_bytes,
              r.static_shared_bytes, r.dynamic_shared_bytes, r.blocks_per_sm);
  const bench_recorded recorded = v.count_records();
  std::printf("records\t%s\t%llu %llu %d\n", v.name.c_str(), recorded.words,
              recorded.dropped_records, v.launches);
  std::printf("right\t%s\t%d\n", v.name.c_str(), v.is_right(inputs) ? 1 : 0);
}

} // namespace

int main(int count, char **words)
{
  const int dashes = static_cast<int>(
      std::find_if(words, words + count, [](const char *w) { return !std::strcmp(w, "--"); }) -
      words);
  if (dashes == count || dashes < 6 || dashes % 3 != 0)
  {
    fail("usage: interleave ROUNDS SEED NAME LIBRARY OPTIONS... -- ARGUMENTS...");
  }
  BENCH_CHECK(cudaSetDevice(0));
  std::vector<variant> variants;
  for (int i = 3; i < dashes; i += 3)
  {
    variants.push_back(load(words + i));
  }

  void *const inputs = variants.front().setup(count - dashes - 1, words + dashes + 1);
  const l2_flush flush;
  for (variant &v : variants)
  {
    for (int i = 0; i < warm_up; ++i, ++v.launches)
    {
      v.launch(inputs);
    }
  }
  BENCH_CHECK(cudaDeviceSynchronize());

  std::mt19937 random(static_cast<unsigned>(std::atoi(words[2])));
  for (int round = 0; round < std::atoi(words[1]); ++round)
  {
    one_round(variants, inputs, flush, random);
  }
  for (const variant &v : variants)
  {
    print(v, inputs);
  }
  std::fflush(stdout);
  std::_Exit(0); // without the exit handlers, which would write gigabytes that nobody reads
}
