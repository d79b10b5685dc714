// CUDA's launch calls: which line they are on is said in front of their first argument.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s
// RUN: %kinstr %s -arch=sm_90 --no-remarks -o %t.cu && %python %S/../tools/inserts_only.py %s %t.cu
#include <cuda.h>

__global__ void kernel(int *p) {
  // @phase a
  p[0] = 1;
}
template <typename A, typename B> __global__ void two(A *p, B *q) {
  // @phase a
  p[0] = q[0];
}
__global__ void not_annotated(int *p) { p[0] = 1; }

// CHECK: extern "C" cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream);
extern "C" cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream);
namespace my {
// CHECK: int cudaLaunchKernel(const void *) { return 0; }
int cudaLaunchKernel(const void *) { return 0; }
}
#define CHECK(call) do { if (call) return 1; } while (0)
// CHECK: #define RUN(k) cudaLaunchKernel(KINSTR_CALL(0) (const void *)k, 1, 32, args)
#define RUN(k) cudaLaunchKernel((const void *)k, 1, 32, args)
// CHECK: #define ANY(...) cudaLaunchKernelEx(__VA_ARGS__)
#define ANY(...) cudaLaunchKernelEx(__VA_ARGS__)

template <typename T> cudaError_t in_template(void **args) {
  // CHECK: return cudaLaunchKernel(KINSTR_CALL(1) (void *)two<T, int>, 1, 32, args);
  return cudaLaunchKernel((void *)two<T, int>, 1, 32, args);
}

__host__ __device__ void on_host(void **args) {
#ifndef __CUDA_ARCH__
  // CHECK: cudaLaunchKernel(KINSTR_CALL(2) kernel, 1, 32, args);
  cudaLaunchKernel(kernel, 1, 32, args);
#endif
}

int main() {
  int *p = nullptr;
  void *args[] = {&p};
  cudaLaunchConfig_t config = {};
  // CHECK: cudaLaunchKernel(KINSTR_CALL(3) kernel, 1, 32, args);
  cudaLaunchKernel(kernel, 1, 32, args);
  // CHECK: CHECK(::cudaLaunchKernel(KINSTR_CALL(4) reinterpret_cast<void *>(&two<int, float>), dim3(1), dim3(32), args, 0, 0));
  CHECK(::cudaLaunchKernel(reinterpret_cast<void *>(&two<int, float>), dim3(1), dim3(32), args, 0, 0));
  // CHECK: cudaError_t e = cudaLaunchCooperativeKernel(KINSTR_CALL(5) (void *)two<int, int>, 1, 32, args);
  cudaError_t e = cudaLaunchCooperativeKernel((void *)two<int, int>, 1, 32, args);
  // CHECK: e = cudaLaunchKernelExC(KINSTR_CALL(6) &config, (void *)kernel, args);
  e = cudaLaunchKernelExC(&config, (void *)kernel, args);
  // CHECK: e = cudaLaunchKernelEx(KINSTR_CALL(7) p ? &config : nullptr, &kernel, p);
  e = cudaLaunchKernelEx(p ? &config : nullptr, &kernel, p);
  RUN(kernel);
  ANY(&config, kernel, p);
  in_template<int>(args);
  on_host(args);
  // A pointer may be any kernel.
  // CHECK: const void *pointer = (const void *)kernel;
  const void *pointer = (const void *)kernel;
  // CHECK: cudaLaunchKernel(KINSTR_CALL(8) pointer, 1, 32, args, 0, 0);
  cudaLaunchKernel(pointer, 1, 32, args, 0, 0);
  // Left alone:
  // CHECK: cudaLaunchKernel(not_annotated, 1, 32, args);
  cudaLaunchKernel(not_annotated, 1, 32, args);
  // CHECK: e = cudaLaunchKernelExC(0, (void *)kernel, args);
  e = cudaLaunchKernelExC(0, (void *)kernel, args);
  // CHECK: my::cudaLaunchKernel(pointer);
  my::cudaLaunchKernel(pointer);
  // CHECK: auto address = &cudaLaunchKernelExC;
  auto address = &cudaLaunchKernelExC;
  // The driver's own launches only make sure that the runtime has attached.
  // CHECK: cuLaunchKernel(KINSTR_ATTACH function(), 1, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr);
  auto function = [] { return CUfunction(); };
  cuLaunchKernel(function(), 1, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr);
  // A context takes its arena along.
  CUcontext context = nullptr;
  // CHECK: cuCtxDestroy(KINSTR_CONTEXT context);
  cuCtxDestroy(context);
  // CHECK: auto destroy = &cuCtxDestroy;
  auto destroy = &cuCtxDestroy;
  return e || address == nullptr || destroy == nullptr;
}

// CHECK: static const ::kinstr::kinstr_tables<0, 0, 0, 0, 0, 0, 0, 0, 0> kinstr_file(R"kinstr({
// CHECK: "launches": [
// CHECK-NEXT: {"line": 24, "kernel": 0},
// CHECK-NEXT: {"line": 30, "kernel": 1},
// CHECK-NEXT: {"line": 36, "kernel": -1},
// CHECK-NEXT: {"line": 45, "kernel": 0},
// CHECK-NEXT: {"line": 47, "kernel": 1},
// CHECK-NEXT: {"line": 49, "kernel": 1},
// CHECK-NEXT: {"line": 51, "kernel": 0},
// CHECK-NEXT: {"line": 53, "kernel": 0},
// CHECK-NEXT: {"line": 62, "kernel": -1}]
