// nvcc accepts the recorders that look at the block's shape, with every buffer and layout.
// RUN: %kinstr %s -arch=sm_90 --no-remarks -o %t.cu
// RUN: grep -c '^__global__.*KINSTR_KERNEL(.*, warprows,' %t.cu | FileCheck %s --check-prefix=COUNT
// COUNT: {{^6$}}
// RUN: %nvcc -std=c++17 -arch=sm_90 -Werror all-warnings -I %runtime_include -c %t.cu -o %t.o

// A block of another shape records each event on its own: both ways are there.
// RUN: %nvcc -std=c++17 -arch=sm_90 -ptx -DONE -I %runtime_include %t.cu -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// PTX: .visible .entry _Z12shared_slotsPi(
// PTX: bar.warp.sync -1;
// PTX: activemask.b32

// @kernel buffer=shared
__global__ void shared_slots(int *p) {
  // @phase a
  if (threadIdx.x / 32 == 1) {
    // @phase b
    p[threadIdx.x] = 1;
  }
}

#ifndef ONE
// @kernel buffer=shared
__global__ void shared_stream(int *p, int n) {
  for (int i = threadIdx.x / 32; i < n; i += blockDim.x / 32) {
    // @phase a
    p[i] = 1;
  }
}

// @kernel buffer=shared
__global__ void behind_dynamic(int *p, int n) {
  extern __shared__ int words[];
  if (threadIdx.y == 0) {
    // @phase a
    p[n] = words[n];
  }
}

// @kernel buffer=shared
__global__ void stream_behind_dynamic(int *p, int n) {
  extern __shared__ int words[];
  for (int i = threadIdx.y; i < n; ++i) {
    // @phase a
    p[i] = words[i];
  }
}

// @kernel buffer=global
__global__ void global_slots(int *p) {
  if (threadIdx.x < 64) {
    // @phase a
    p[threadIdx.x] = 1;
  }
}

// @kernel buffer=global
__global__ void global_stream(int *p, int n) {
  while (n > threadIdx.x / 32) {
    // @phase a
    p[--n] = 1;
  }
}
#endif
