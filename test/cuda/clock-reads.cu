// How the marks read the clock: by CS2R, in order with the code around them, from every recorder. A read
// that ptxas takes for the same in all lanes becomes S2UR, which is slower and out of order.
// REQUIRES: cuda, nvdisasm
// RUN: %kinstr %s -arch=sm_90 --no-remarks --buffer=shared -o %t.shared.cu
// RUN: %kinstr %s -arch=sm_90 --no-remarks --buffer=lanes -o %t.lanes.cu
// RUN: %kinstr %s -arch=sm_90 --no-remarks --buffer=global -o %t.global.cu
// DEFINE: %{buffer} =
// DEFINE: %{arch} =
// DEFINE: %{look} = %nvcc -O3 -arch=%{arch} -cubin -I %runtime_include %t.%{buffer}.cu -o %t.cubin && \
// DEFINE:   %nvdisasm -c %t.cubin > %t.sass && %python %clock_reads %t.sass > %t.reads && \
// DEFINE:   FileCheck %s < %t.reads
// REDEFINE: %{buffer} = shared
// REDEFINE: %{arch} = sm_90
// RUN: %{look}
// REDEFINE: %{buffer} = lanes
// RUN: %{look}
// REDEFINE: %{buffer} = global
// RUN: %{look}
// REDEFINE: %{arch} = sm_80
// RUN: %{look}
// REDEFINE: %{buffer} = shared
// RUN: %{look}

// The test itself sees such a read where there is one: a spin on %clock, which the marks do not use.
// RUN: %nvcc -O3 -arch=sm_90 -cubin -DUNIFORM_READ %s -o %t.cubin
// RUN: %nvdisasm -c %t.cubin > %t.sass && %python %clock_reads %t.sass | FileCheck %s --check-prefix=SEEN
// SEEN: spin: {{.*}} {{[1-9]}} S2UR

// CHECK-DAG: kinstr_calibrate{{.*}}: {{[1-9][0-9]*}} CS2R, 0 S2UR, 0 S2R
// CHECK-DAG: calls: {{[1-9][0-9]*}} CS2R, 0 S2UR, 0 S2R
// CHECK-DAG: slots_divergent: {{[1-9][0-9]*}} CS2R, 0 S2UR, 0 S2R
// CHECK-DAG: slots_uniform: {{[1-9][0-9]*}} CS2R, 0 S2UR, 0 S2R
// CHECK-DAG: slots_warprows: {{[1-9][0-9]*}} CS2R, 0 S2UR, 0 S2R
// CHECK-DAG: stream_divergent: {{[1-9][0-9]*}} CS2R, 0 S2UR, 0 S2R
// CHECK-DAG: stream_uniform: {{[1-9][0-9]*}} CS2R, 0 S2UR, 0 S2R
// CHECK-DAG: stream_warprows: {{[1-9][0-9]*}} CS2R, 0 S2UR, 0 S2R

#ifdef UNIFORM_READ
__device__ __forceinline__ unsigned clock32() {
  unsigned t;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
  return t;
}
extern "C" __global__ void spin(unsigned n) {
  unsigned start = clock32();
  while (clock32() - start < n)
    ;
}
#else

extern "C" __global__ void slots_uniform(int *p) {
  // @phase a
  p[threadIdx.x] = 1;
  // @phase b drain
  p[threadIdx.x] = 2;
}

extern "C" __global__ void slots_warprows(int *p) {
  // @phase a
  if (threadIdx.y == 1) {
    // @phase b
    p[threadIdx.x] = 2;
  }
}

extern "C" __global__ void slots_divergent(int *p) {
  // @phase a
  if (threadIdx.x % 2)
    return;
  // @phase b
  p[threadIdx.x] = 2;
}

extern "C" __global__ void stream_uniform(int *p, int n) {
  for (int i = 0; i < n; ++i) {
    // @phase a
    p[threadIdx.x] += i;
    // @phase b drain=stores
    p[threadIdx.x + 1] += i;
  }
}

extern "C" __global__ void stream_warprows(int *p, int n) {
  for (int i = threadIdx.y; i < n; i += blockDim.y) {
    // @phase a
    p[threadIdx.x] += i;
  }
}

extern "C" __global__ void stream_divergent(int *p, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    // @phase a
    p[threadIdx.x] += i;
  }
}

__device__ void callee(int *p, int n) {
  for (int i = 0; i < n; ++i) {
    // @phase in
    p[threadIdx.x] += i;
  }
}

__device__ int recursive(int n) {
  // @phase r
  return n < 2 ? n : recursive(n - 1) + recursive(n - 2);
}

extern "C" __global__ void calls(int *p, int n) {
  callee(p, n);
  if (threadIdx.x % 2)
    callee(p, 2);
  p[0] = recursive(n);
}
#endif
