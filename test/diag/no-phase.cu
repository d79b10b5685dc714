// A '@kernel' alone records nothing: a warning, and the copy is the original.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2>&1 | FileCheck %s
// RUN: cmp %s %t.cu

// CHECK: no-phase.cu:[[#@LINE+2]]:17: warning: 'kernel' has a '@kernel' but no phase; nothing is recorded
// @kernel name
__global__ void kernel(int *p) { p[0] = 1; }

int main() { kernel<<<1, 32>>>(nullptr); }
