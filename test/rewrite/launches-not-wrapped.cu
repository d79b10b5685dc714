// Launches that cannot be wrapped are left as they are, and a remark says so.
// RUN: rm -rf %t && split-file %s %t
// RUN: cd %t && %kinstr a.cu -isystem library -arch=sm_90 -o out.cu 2>&1 | FileCheck a.cu --implicit-check-not=remark:
// RUN: grep -v "// [CO]" %t/out.cu | FileCheck %t/a.cu --match-full-lines --check-prefix=OUT

//--- library/launch.h
#define IN_HEADER(k) k<<<1, 32>>>(nullptr)
//--- a.cu
#include <launch.h>
#define CONFIGURATION 1, 32
// OUT: #define CONFIGURED(k, ...) k<<<__VA_ARGS__>>>(nullptr)
#define CONFIGURED(k, ...) k<<<__VA_ARGS__>>>(nullptr)
// OUT: #define NAMED(k, rest...) k<<<1, rest>>>(nullptr)
#define NAMED(k, rest...) k<<<1, rest>>>(nullptr)
// OUT: #define MAYBE(k, ...) k<<<1, 32, ##__VA_ARGS__>>>(nullptr)
#define MAYBE(k, ...) k<<<1, 32, ##__VA_ARGS__>>>(nullptr)
// OUT: #define HIDDEN(k, g) k<<<g, 0>>>(nullptr)
#define HIDDEN(k, g) k<<<g, 0>>>(nullptr)

__global__ void kernel(int *p) {
  // @phase a
  p[0] = 1;
}
__global__ void not_annotated(int *p) { p[0] = 1; }

// CHECK: :[[#@LINE-14]]:28: remark: this launch cannot be wrapped; it is recorded without its source line
// CHECK: :[[#@LINE-13]]:27: remark: this launch cannot be wrapped
// CHECK: :[[#@LINE-12]]:23: remark: this launch cannot be wrapped
// CHECK: :[[#@LINE-11]]:22: remark: this launch cannot be wrapped
// CHECK: :[[#@LINE+2]]:14: remark: this launch cannot be wrapped
// OUT: int main() { kernel<<<CONFIGURATION>>>(nullptr);
int main() { kernel<<<CONFIGURATION>>>(nullptr);
  CONFIGURED(kernel, 1, 32);
  NAMED(kernel, 32);
  MAYBE(kernel);
  HIDDEN(kernel, CONFIGURATION);
  // CHECK: :[[#@LINE+1]]:3: remark: this launch cannot be wrapped
  IN_HEADER(kernel);
  IN_HEADER(not_annotated);
  // CHECK: :[[#@LINE+2]]:3: remark: this launch cannot be wrapped
  // OUT: kernel<<<1,
  kernel<<<1,
#if 1
           32
#else
           64
#endif
           >>>(nullptr);
  void *args[] = {nullptr};
  // A null pointer constant is one only as long as it is alone.
  // CHECK: :[[#@LINE+2]]:3: remark: this launch cannot be wrapped
  // OUT: cudaLaunchKernelExC(NULL, (void *)kernel, args);
  cudaLaunchKernelExC(NULL, (void *)kernel, args);
}
