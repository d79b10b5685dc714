// What annotations of one kernel may not say together.
// RUN: rm -rf %t && mkdir %t
// RUN: not %kinstr %s -arch=sm_90 -o %t/out.cu 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: ls -A %t | count 0

// CHECK: together.cu:[[#@LINE+2]]:6: error: '@end' without a '@phase' before it
__global__ void kernel(int *p) {
  // @end
  p[0] = 1;
  // @phase a
  p[1] = 1;
  // CHECK: :[[#@LINE+3]]:6: error: 'a' is already the name of a phase in 'kernel'
  // CHECK: :[[#@LINE-3]]:6: note: first used here
  // @end
  // @mark a
  // @mark b
  // CHECK: :[[#@LINE+2]]:6: error: 'b' is already the name of a mark in 'kernel'
  // CHECK: :[[#@LINE-2]]:6: note: first used here
  // @phase b
}

// Another kernel has names of its own.
__global__ void other(int *p) {
  // @mark a
  p[0] = 1;
}

int main() { kernel<<<1, 32>>>(nullptr); other<<<1, 32>>>(nullptr); }
