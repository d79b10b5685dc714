// An error of clang that is none to nvcc is not shown, and hides nothing: the statement stays in the tree.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2> %t.err && FileCheck %s < %t.cu
// RUN: not grep "clang does not understand" %t.err

// CHECK: void only_reads({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, slots, uniform,
__global__ void only_reads(unsigned long long *p) {
  if (threadIdx.x > 3)
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(p[0]));
  // @phase a
  p[1] = 1;
}

// CHECK: void leaves({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void leaves(unsigned long long *p) {
  if (threadIdx.x > 3)
    asm volatile("mov.u64 %0, %globaltimer; exit;" : "=l"(p[0]));
  // @phase a
  p[1] = 1;
}

// CHECK: void unrolls({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void unrolls(int *p) {
#pragma unroll
  if (threadIdx.x > 3)
    return;
  // @phase a
  p[1] = 1;
}
