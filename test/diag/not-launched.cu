// A kernel that this file does not launch: what to do where no other rewritten file does.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2>&1 | FileCheck %s --implicit-check-not=remark:
#include <cuda_runtime.h>

// CHECK: :[[#@LINE+2]]:17: remark: no launch of 'kernel' in this file; it is recorded once a rewritten file has launched something{{$}}
// CHECK: :[[#@LINE+1]]:17: note: where none does, run the program with KINSTR_OPTIONS=attach=load, or call kinstr_start()
__global__ void kernel(int *p) {
  // @phase a
  p[0] = 1;
}
void library(const void *kernel);
void run() { library((const void *)kernel); }

__global__ void by_call(int *p) {
  // @phase a
  p[0] = 1;
}
void call(void **args) { cudaLaunchKernel((void *)by_call, 1, 32, args, 0, 0); }

__global__ void by_macro(int *p) {
  // @phase a
  p[0] = 1;
}
#define LAUNCH(k) k<<<1, 32>>>(nullptr)
void macro() { LAUNCH(by_macro); }
