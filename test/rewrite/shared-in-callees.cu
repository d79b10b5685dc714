// Shared memory counts wherever the kernel gets it from: a helper, an object, a template.
// RUN: %kinstr %s -o %t.cu 2>&1 | FileCheck %s
struct Dynamic {
  __device__ operator float *() {
    extern __shared__ float memory[];
    return memory;
  }
};
template <class T> __device__ T *indirect() { return Dynamic(); }

// CHECK: :[[#@LINE+3]]:17: remark: 'by_object' records to registers: a shared buffer would move its dynamic shared memory
// CHECK: :5:29: note: dynamic shared memory declared here
// CHECK: :[[#@LINE+1]]:17: note: '@kernel buffer=shared'
__global__ void by_object(float *p) {
  Dynamic d;
  // @phase a
  float *s = d;
  s[threadIdx.x] = p[threadIdx.x];
}

// CHECK: :[[#@LINE+1]]:36: remark: 'by_template' records to registers
template <class T> __global__ void by_template(T *p) {
  // @phase a
  indirect<T>()[threadIdx.x] = p[threadIdx.x];
}

__device__ float large() {
  __shared__ float s[12 * 1024 - 50];
  s[threadIdx.x] = 0;
  return s[0];
}

// CHECK: :[[#@LINE+1]]:17: remark: 'by_size' records to registers: with a shared buffer it would need {{[0-9]+}} bytes of static shared memory, more than 49152
__global__ void by_size(float *p) {
  // @phase a
  *p = large();
}

void launch(float *p) {
  by_object<<<1, 1>>>(p);
  by_template<<<1, 1>>>(p);
  by_size<<<1, 1>>>(p);
}
