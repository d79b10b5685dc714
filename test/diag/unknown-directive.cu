// An unknown directive in a kernel is an error. Elsewhere it may be anything, unless it looks like one of
// kinstr's: then it is a warning. Words of documentation tools are neither.
// RUN: not %kinstr %s -arch=sm_90 -o %t.cu 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:

// CHECK: :[[#@LINE+9]]:6: error: unknown directive '@phse'; did you mean '@phase'?
// CHECK-NEXT: // @phse load
// CHECK-NEXT: {{^}}     ^~~~~
// CHECK-NEXT: {{^}}      phase
// CHECK: :[[#@LINE+7]]:6: error: unknown directive '@Mark'; did you mean '@mark'?
// CHECK: :[[#@LINE+7]]:6: error: unknown directive '@frobnicate'{{$}}
// CHECK: :[[#@LINE+17]]:4: warning: unknown directive '@kernal'; did you mean '@kernel'?
__global__ void kernel(int *p) {
  // @phse load
  // @Mark x
  // @frobnicate
  // @todo measure
  // @see kernel
  p[0] = 1;
#if 0
  // @phse not compiled
#endif
}

// @frobnicate
// @author somebody
__device__ int helper();

// @kernal
__global__ void other(int *p) { p[0] = 1; }
