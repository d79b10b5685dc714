// Annotations outside of a kernel's body.
// RUN: rm -rf %t && mkdir %t
// RUN: not %kinstr %s -arch=sm_90 -o %t/out.cu 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: ls -A %t | count 0

// CHECK: function.cu:[[#@LINE+1]]:4: error: annotation outside of a kernel
// @phase a
int global;

// CHECK: :[[#@LINE+2]]:6: error: annotation in the __device__ function 'device': only the bodies of __global__ functions are supported yet
__device__ int device() {
  // @phase a
  return 1;
}
// CHECK: :[[#@LINE+2]]:6: error: annotation in the __device__ function 'both': only the bodies of __global__ functions are supported yet
__host__ __device__ int both() {
  // @phase a
  return 1;
}
// CHECK: :[[#@LINE+2]]:6: error: annotation in the host function 'host'
int host() {
  // @phase a
  return 1;
}

// CHECK: :[[#@LINE+3]]:20: error: an annotation cannot stand in a preprocessor directive
// CHECK: :[[#@LINE+2]]:20: note: the body of a macro is one line to nvcc and has no lines of its own to time
__global__ void macros(int *p) {
#define LOAD(i) /* @phase a */ p[i]
  p[0] = LOAD(1);
  // CHECK: :[[#@LINE+3]]:8: error: an annotation cannot stand in the argument of a macro
#define TIMED(...) __VA_ARGS__
  TIMED(
    // @phase a
    p[1] = 1;
  )
}
// CHECK: :[[#@LINE+3]]:6: error: the kernel 'by_macro' is defined by a macro
#define BEGIN(name) __global__ void name(int *p) {
BEGIN(by_macro)
  // @phase a
  p[0] = 1;
}

// CHECK: :[[#@LINE+3]]:8: error: annotations in lambdas are not supported yet
__global__ void lambdas(int *p) {
  auto f = [&] {
    // @phase a
    p[0] = 1;
  };
  f();
}

// CHECK: :[[#@LINE+1]]:4: error: '@kernel' needs a '__global__' function below or around it
// @kernel name
__device__ int not_a_kernel();

// CHECK: :[[#@LINE+3]]:6: error: a second '@kernel' for 'twice'
// @kernel one
__global__ void twice(int *p) {
  // @kernel two
  // @phase a
  p[0] = 1;
}

int main() { twice<<<1, 32>>>(nullptr); }
