// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch calls of a rewritten file, as it and nvcc's code in it make them.
#include "RuntimeTest.h"
#include "fake_cudart.h"
#include "kinstr/detail/module.h"
#include "state.h"

using namespace kinstr;
using testing::ExitedWithCode;

namespace {

using RuntimeLaunchDeathTest = Runtime;

// Two kernels, `one` and `ns::two`; launches of the first, of several, of the
// second.
device_state constant;
const unsigned char arguments[] = {2, 2, 2, 0};
const char tables[] =
    R"({"abi":1,"file":"t.cu","kernels":[)"
    R"({"name":"one","line":1,"sites":[]},)"
    R"({"name":"2nd","function":"ns::two","line":3,"sites":[]}],)"
    R"("launches":[{"line":5,"kernel":0},{"line":6,"kernel":-1},{"line":7,"kernel":1}]})";

int write_constant(const device_state *s, cudaStream_t stream) {
  return cudaMemcpyAsync(&constant, s, sizeof *s, cudaMemcpyHostToDevice,
                         stream);
}

kinstr_module unit = {abi_version, tables, arguments, &write_constant,
                      nullptr,     0,      nullptr,   nullptr};
kinstr_module other = {abi_version, tables, arguments, &write_constant,
                       nullptr,     0,      nullptr,   nullptr};

char kernels[4];
const void *const one = &kernels[0];
const void *const two = &kernels[1];
const void *const two_of_int = &kernels[2];
const void *const stranger = &kernels[3];

void start(const std::string &options) {
  fake::gpu.names = {{one, "_Z3onePi"},
                     {two, "_ZN2ns3twoIfEEvPT_"},
                     {two_of_int, "_ZN2ns3twoIiEEvPT_"},
                     {stranger, "_Z8strangerPi"}};
  ::setenv("KINSTR_OPTIONS", options.c_str(), 1);
  kinstr_register(&unit);
}

/// <<<grid, 64>>> at `site`, with nvcc's code behind it.
void chevrons(unsigned site, const void *kernel, unsigned grid,
              const void *named = nullptr) {
  kinstr_launch_block(&unit, site, 64, 1, 1);
  kinstr_launch_grid(&unit, site, named, grid, 1, 1);
#if CUDART_VERSION >= 13000
  cudaKernel_t handle = nullptr;
  kinstr_cudaGetKernel(&handle, kernel);
  kinstr_cudaLaunchHandle(handle, grid, 64, nullptr, 0, nullptr);
#else
  kinstr_cudaLaunchKernel(kernel, grid, 64, nullptr, 0, nullptr);
#endif
}

std::string row(int site, int function, unsigned grid) {
  return R"("module":0,"site":)" + std::to_string(site) + R"(,"function":)" +
         std::to_string(function) + R"(,"grid":[)" + std::to_string(grid) +
         ",1,1]";
}

std::string function(int kernel, const char *name) {
  return R"({"module":0,"kernel":)" + std::to_string(kernel) + R"(,"name":")" +
         name + '"';
}

} // namespace

TEST_F(RuntimeLaunchDeathTest, KernelComesFromTheCall) {
  EXPECT_EXIT(
      {
        start(out());
        chevrons(0, one, 3);
        chevrons(0, one, 4, one);
        chevrons(2, two, 5);
        chevrons(2, two_of_int, 6);
        std::exit(fake::launch_calls().size() == 4 ? 0 : 1);
      },
      ExitedWithCode(0), "4 launches");
  const trace_file t = read_trace(path);
  EXPECT_TRUE(t.says(R"("functions":[)" + function(0, "_Z3onePi"))) << t.meta;
  EXPECT_TRUE(t.says(function(1, "_ZN2ns3twoIfEEvPT_")));
  EXPECT_TRUE(t.says(function(1, "_ZN2ns3twoIiEEvPT_")));
  EXPECT_EQ(t.launches(), 4u);
  EXPECT_TRUE(t.says(row(0, 0, 3)));
  EXPECT_TRUE(t.says(row(0, 0, 4)));
  EXPECT_TRUE(t.says(row(2, 1, 5)));
  EXPECT_TRUE(t.says(row(2, 2, 6)));
  EXPECT_EQ(t.count(R"("blocks_per_sm":32)"), 4u);
}

TEST_F(RuntimeLaunchDeathTest, OnePlaceThatLaunchesSeveral) {
  EXPECT_EXIT(
      {
        start(out());
        chevrons(1, one, 3);
        chevrons(1, two, 3);
        chevrons(1, stranger, 3);
        std::exit(0);
      },
      ExitedWithCode(0), "3 launches");
  const trace_file t = read_trace(path);
  EXPECT_TRUE(t.says(function(0, "_Z3onePi"))) << t.meta;
  EXPECT_TRUE(t.says(function(1, "_ZN2ns3twoIfEEvPT_")));
  EXPECT_TRUE(t.says(function(-1, "_Z8strangerPi")));
  for (int f : {0, 1, 2})
    EXPECT_TRUE(t.says(row(1, f, 3)));
}

namespace {

/// "name grid block shared" of each call, a line each.
std::string launch_calls() {
  std::string text;
  for (const std::string &call : fake::launch_calls()) {
    const std::size_t name = call.find(' ');
    const std::size_t kernel = call.find(' ', name + 1);
    text += call.substr(0, name) +
            call.substr(kernel, call.rfind(' ') - kernel) + '\n';
  }
  return text;
}

/// One of each launch call; true: all succeed.
bool call_each(bool per_thread, cudaStream_t s) {
  cudaLaunchConfig_t c = {};
  c.gridDim = {7, 2, 1};
  c.blockDim = {96, 1, 1};
  c.dynamicSmemBytes = 48;
  c.stream = s;
  kinstr_launch_call(&unit, 0);
  const cudaError_t plain =
      (per_thread ? kinstr_cudaLaunchKernel_ptsz
                  : kinstr_cudaLaunchKernel)(one, 5, 32, nullptr, 16, s);
  kinstr_launch_call(&unit, 2);
  const cudaError_t cooperative =
      (per_thread
           ? kinstr_cudaLaunchCooperativeKernel_ptsz
           : kinstr_cudaLaunchCooperativeKernel)(two, 6, 32, nullptr, 16, s);
  kinstr_launch_call(&unit, 1);
  const cudaError_t configured =
      (per_thread ? kinstr_cudaLaunchKernelExC_ptsz
                  : kinstr_cudaLaunchKernelExC)(&c, one, nullptr);
  return plain == cudaSuccess && cooperative == cudaSuccess &&
         configured == cudaSuccess;
}

} // namespace

// cudaLaunchKernel() and its kin, with the place named by their first argument.
TEST_F(RuntimeLaunchDeathTest, CallsGoOnWithTheirArguments) {
  EXPECT_EXIT(
      {
        start(out());
        cudaStream_t const s = fake::create_stream();
        const bool ok = call_each(false, s) && call_each(true, s);
        const bool same = launch_calls() ==
                          "cudaLaunchKernel 5x1x1 32x1x1 16\n"
                          "cudaLaunchCooperativeKernel 6x1x1 32x1x1 16\n"
                          "cudaLaunchKernelExC 7x2x1 96x1x1 48\n"
                          "cudaLaunchKernel_ptsz 5x1x1 32x1x1 16\n"
                          "cudaLaunchCooperativeKernel_ptsz 6x1x1 32x1x1 16\n"
                          "cudaLaunchKernelExC_ptsz 7x2x1 96x1x1 48\n";
        std::exit(ok && same ? 0 : 1);
      },
      ExitedWithCode(0), "6 launches");
  const trace_file t = read_trace(path);
  EXPECT_EQ(t.count(row(0, 0, 5)), 2u) << t.meta;
  EXPECT_EQ(t.count(row(2, 1, 6)), 2u);
  EXPECT_EQ(t.count(R"("site":1,"function":0,"grid":[7,2,1],"block":[96,1,1],)"
                    R"("dynamic_shared":48,"stream":1,)"),
            2u);
}

TEST_F(RuntimeLaunchDeathTest, ErrorsAreTheProgramsOwn) {
  EXPECT_EXIT(
      {
        start(out());
        fake::gpu.launch = cudaErrorInvalidConfiguration;
        const bool same =
            kinstr_cudaLaunchKernel(one, 1, 32, nullptr, 0, nullptr) ==
                cudaErrorInvalidConfiguration &&
            cudaGetLastError() == cudaErrorInvalidConfiguration &&
            kinstr_cudaLaunchKernelExC(nullptr, one, nullptr) ==
                cudaErrorInvalidValue &&
            cudaGetLastError() == cudaErrorInvalidValue;
        std::exit(same ? 0 : 1);
      },
      ExitedWithCode(0), "1 launch,");
}

// In a header, say: nobody has named the place.
TEST_F(RuntimeLaunchDeathTest, UnknownPlaceOfAnAnnotatedKernelIsListed) {
  EXPECT_EXIT(
      {
        start(out());
        kinstr_cudaLaunchKernel(two, 9, 32, nullptr, 0, nullptr);
        std::exit(0);
      },
      ExitedWithCode(0), "1 launch,");
  const trace_file t = read_trace(path);
  EXPECT_TRUE(t.says(row(-1, 0, 9))) << t.meta;
  EXPECT_TRUE(t.says(function(1, "_ZN2ns3twoIfEEvPT_")));
}

// It may call something that is annotated.
TEST_F(RuntimeLaunchDeathTest, UnknownPlaceOfAnotherKernelOnlyAttaches) {
  EXPECT_EXIT(
      {
        start(out() + ",launches=0:1");
        kinstr_cudaLaunchKernel(stranger, 9, 32, nullptr, 0, nullptr);
        const bool recording = constant.recording == 1;
        chevrons(0, one, 3); // number 0: the stranger did not count
        std::exit(recording ? 0 : 1);
      },
      ExitedWithCode(0), "1 launch,");
  EXPECT_TRUE(read_trace(path).says(row(0, 0, 3)));
}

// The same kernel name in two files: whose it is cannot be told.
TEST_F(RuntimeLaunchDeathTest, UnknownPlaceOfANameThatTwoFilesHave) {
  EXPECT_EXIT(
      {
        start(out());
        kinstr_register(&other);
        kinstr_cudaLaunchKernel(one, 9, 32, nullptr, 0, nullptr);
        chevrons(1, one, 3); // the place's own file goes first
        std::exit(0);
      },
      ExitedWithCode(0), "1 launch,");
  const trace_file t = read_trace(path);
  EXPECT_TRUE(t.says(row(1, 0, 3))) << t.meta;
  EXPECT_TRUE(t.says(function(0, "_Z3onePi")));
}

// k<<<...>>>(f()), where f() launches too, after k's configuration.
TEST_F(RuntimeLaunchDeathTest, LaunchInAKernelsArgument) {
  EXPECT_EXIT(
      {
        start(out());
        kinstr_launch_block(&unit, 0, 64, 1, 1);
        kinstr_launch_grid(&unit, 0, nullptr, 3, 1, 1);
        chevrons(2, two, 5);
        kinstr_cudaLaunchKernel(one, 3, 64, nullptr, 0, nullptr);
        std::exit(0);
      },
      ExitedWithCode(0), "2 launches");
  const trace_file t = read_trace(path);
  EXPECT_TRUE(t.says(row(0, 1, 3))) << t.meta;
  EXPECT_TRUE(t.says(row(2, 0, 5)));
}

// Its kernel's code is in a file that was not rewritten: no call is seen. Later
// launches are not taken for it, unless they look the same.
TEST_F(RuntimeLaunchDeathTest, AnnouncedButNotSeen) {
  EXPECT_EXIT(
      {
        start(out());
        for (int i = 0; i < 20; ++i) {
          kinstr_launch_block(&unit, 1, 64, 1, 1);
          kinstr_launch_grid(&unit, 1, nullptr, 3, 1, 1);
        }
        kinstr_cudaLaunchKernel(one, 4, 64, nullptr, 0, nullptr);
        chevrons(2, two, 5);
        std::exit(0);
      },
      ExitedWithCode(0), "22 launches");
  const trace_file t = read_trace(path);
  EXPECT_EQ(t.count(row(1, -1, 3)), 20u) << t.meta;
  EXPECT_TRUE(t.says(row(-1, 0, 4)));
  EXPECT_TRUE(t.says(row(2, 1, 5)));
}

// kinstr_flush() by another thread between the announcement and the call: the
// row is gone, and that place in the table is another launch's.
TEST_F(RuntimeLaunchDeathTest, TableEmptiedInBetween) {
  EXPECT_EXIT(
      {
        start(out());
        kinstr_launch_block(&unit, 0, 64, 1, 1);
        kinstr_launch_grid(&unit, 0, nullptr, 3, 1, 1);
        kinstr_flush();
        chevrons(2, two, 5);
        kinstr_cudaLaunchKernel(one, 3, 64, nullptr, 0, nullptr);
        std::exit(0);
      },
      ExitedWithCode(0),
      "t.kitrace: 1 launch, 0 events.*\n.*t.1.kitrace: 1 launch, 0 events");
  EXPECT_TRUE(read_trace(path).says(row(0, -1, 3)));
  const trace_file second = read_trace(folder + "/t.1.kitrace");
  EXPECT_TRUE(second.says(row(2, 0, 5))) << second.meta;
  EXPECT_TRUE(
      second.says(R"("functions":[)" + function(1, "_ZN2ns3twoIfEEvPT_")));
}

TEST_F(RuntimeLaunchDeathTest, WithoutADeviceTheCallStillGoesOn) {
  EXPECT_EXIT(
      {
        start(out());
        fake::gpu.no_device = cudaErrorNoDevice;
        chevrons(0, one, 3);
        std::exit(fake::launch_calls().size() == 1 ? 0 : 1);
      },
      ExitedWithCode(0), "^$");
}

//===----------------------------------------------------------------------===//
// attach=load
//===----------------------------------------------------------------------===//

TEST_F(RuntimeLaunchDeathTest, LaunchByTheDriverOnlyAttaches) {
  EXPECT_EXIT(
      {
        start(out());
        kinstr_attach();
        const bool recording = constant.recording == 1;
        chevrons(0, one, 3);
        std::exit(recording ? 0 : 1);
      },
      ExitedWithCode(0), "1 launch,");
}

TEST_F(RuntimeLaunchDeathTest, AttachAtLoad) {
  EXPECT_EXIT(
      {
        start(out() + ",attach=load");
        rt::attach_at_load();
        std::exit(constant.recording == 1 ? 0 : 1);
      },
      ExitedWithCode(0),
      "^kinstr: .*t.kitrace: 0 launches, 0 events, 0 dropped\n$");
}

TEST_F(RuntimeLaunchDeathTest, AttachAtLaunchIsTheDefault) {
  EXPECT_EXIT(
      {
        start(out() + ",attach=launch");
        rt::attach_at_load();
        const bool early = constant.recording == 1;
        chevrons(0, one, 3);
        std::exit(!early && constant.recording == 1 ? 0 : 1);
      },
      ExitedWithCode(0), "1 launch,");
}

TEST_F(RuntimeLaunchDeathTest, AttachAtLoadWithoutADeviceSaysSo) {
  EXPECT_EXIT(
      {
        start(out() + ",attach=load");
        fake::gpu.no_device = cudaErrorNoDevice;
        rt::attach_at_load();
        std::exit(cudaPeekAtLastError() == cudaSuccess ? 0 : 1);
      },
      ExitedWithCode(0),
      "^kinstr: warning: attach=load: no device to attach to: some error\n$");
}
