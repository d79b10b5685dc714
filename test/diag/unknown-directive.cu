// An unknown directive in an annotated kernel is an error, and in any kernel if it looks like one of kinstr's.
// Elsewhere that is a warning; other words may be anything. Words of documentation tools are neither.
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
  // @phase real
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

__global__ void without_annotations(int *p) {
  // @frobnicate
  p[0] = 1;
}
