// A place that means one thing for one architecture and another for the next.
// RUN: not %kinstr %s -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -o %t.cu 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: %kinstr %s -arch=sm_90 -DNO_STATEMENT -o %t.cu

__global__ void kernel(int *p, int n) {
#ifndef NO_STATEMENT
  // In the middle of a statement for one of them:
  p[0] =
#if __CUDA_ARCH__ >= 900
      1 +
#else
      1;
#endif
  // CHECK: architectures.cu:[[#@LINE+1]]:6: error: an annotation cannot stand in the middle of a statement
  // @phase a
  n;
#endif
  // Inside of the braces for one of them, in front of them for the other:
#if __CUDA_ARCH__ >= 900
  if (n)
#endif
  // CHECK: :[[#@LINE+1]]:6: error: this place means different things to the architectures asked for; add braces, or rewrite for one at a time
  // @phase b
  {
    p[1] = 1;
  }
}
