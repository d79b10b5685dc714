// Launches that cannot be wrapped are left as they are, and a remark says so.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2>&1 | FileCheck %s --implicit-check-not=remark:
// RUN: FileCheck %s --match-full-lines --check-prefix=OUT < %t.cu

#define CONFIGURATION 1, 32
#define LAUNCH(k, ...) k<<<1, 32>>>(__VA_ARGS__)

// A kernel without any wrapped launch is remarked upon at its name.
// CHECK: :[[#@LINE+1]]:17: remark: no launch of 'kernel' in this file; it is recorded once a launch in a rewritten file, or kinstr_start(), has attached
__global__ void kernel(int *p) {
  // @phase a
  p[0] = 1;
}
__global__ void not_annotated(int *p) { p[0] = 1; }

// CHECK: :[[#@LINE+2]]:14: remark: this launch cannot be wrapped; it is recorded once another launch, or kinstr_start(), has attached
// OUT: int main() { kernel<<<CONFIGURATION>>>(nullptr);
int main() { kernel<<<CONFIGURATION>>>(nullptr);
  // CHECK: :[[#@LINE+2]]:3: remark: this launch cannot be wrapped
  // OUT: LAUNCH(kernel, nullptr);
  LAUNCH(kernel, nullptr);
  LAUNCH(not_annotated, nullptr);
  // CHECK: :[[#@LINE+2]]:3: remark: this launch cannot be wrapped
  // OUT: kernel<<<1,
  kernel<<<1,
#if 1
           32
#else
           64
#endif
           >>>(nullptr);
}
