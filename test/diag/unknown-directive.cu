// An unknown directive in a kernel is an error. Elsewhere it may be anything, unless it looks like one of
// kinstr's: then it is a warning. Words of documentation tools are neither.
// RUN: not %kinstr %s -arch=sm_90 -o %t.cu 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:

__global__ void kernel(int *p) {
  // CHECK: unknown-directive.cu:[[#@LINE+4]]:6: error: unknown directive '@phse'; did you mean '@phase'?
  // CHECK-NEXT: // @phse load
  // CHECK-NEXT: {{^}}     ^~~~~
  // CHECK-NEXT: {{^}}      phase
  // @phse load
  // CHECK: :[[#@LINE+1]]:6: error: unknown directive '@Mark'; did you mean '@mark'?
  /* @Mark x */
  // CHECK: :[[#@LINE+1]]:6: error: unknown directive '@frobnicate'{{$}}
  // @frobnicate
  // @todo measure
  // @see kernel
  p[0] = 1;
#if 0
  // CHECK: :[[#@LINE+1]]:6: warning: unknown directive '@phaes'; did you mean '@phase'?
  // @phaes not compiled
  // @frobnicate
#endif
}

// @frobnicate
// @author somebody
__device__ int helper();

// CHECK: :[[#@LINE+1]]:4: warning: unknown directive '@kernal'; did you mean '@kernel'?
// @kernal
__global__ void other(int *p) { p[0] = 1; }
