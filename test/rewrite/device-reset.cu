// Only CUDA's own cudaDeviceReset is made to write the trace first.
// RUN: %kinstr %s -o - --no-remarks | grep 'return\|@phase' | FileCheck %s
namespace my {
int cudaDeviceReset() { return 0; }
// CHECK: int own() { return cudaDeviceReset(); }
int own() { return cudaDeviceReset(); }
} // namespace my
namespace alias {
using ::cudaDeviceReset;
}
// CHECK: KINSTR_MARK(0) // @phase a
__global__ void kernel(int *p) {
  // @phase a
  *p = 1;
}
// CHECK: int plain() { return KINSTR_cudaDeviceReset(); }
int plain() { return cudaDeviceReset(); }
// CHECK: int global() { return ::KINSTR_cudaDeviceReset(); }
int global() { return ::cudaDeviceReset(); }
// CHECK: int qualified() { return my::cudaDeviceReset() + alias::cudaDeviceReset(); }
int qualified() { return my::cudaDeviceReset() + alias::cudaDeviceReset(); }
