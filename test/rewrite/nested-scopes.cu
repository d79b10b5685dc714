// '@scope' takes the next statement into braces with a local that passes two sites; '@value' is a mark with a number.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s
// RUN: %kinstr %s -arch=sm_90 --no-remarks -o %t.cu && %python %S/../tools/inserts_only.py %s %t.cu

// Numbers are in the order in which straight code passes them: the end of a scope is behind what it holds.
// CHECK: __global__ void straight(int *p, int n) { KINSTR_KERNEL(0, shared, slots, uniform, 6, 1024)
__global__ void straight(int *p, int n) {
  // CHECK: KINSTR_MARK(0) // @phase load
  // @phase load
  // CHECK: KINSTR_BEGIN KINSTR_SCOPE(1, 4) // @scope outer
  // CHECK: { KINSTR_MARK(2)
  // @scope outer
  if (n) // @phase inner
  {
    p[0] = 1;
    // CHECK: KINSTR_MARK(3) // @mark here
    // @mark here
    // CHECK: } KINSTR_END
  }
  // CHECK: KINSTR_MARK(5) // @phase store
  // @phase store
  p[1] = 2;
}

// CHECK: __global__ void loops(int *p, int n) { KINSTR_KERNEL(1, shared, stream, uniform, 10, 1024)
__global__ void loops(int *p, int n) {
  // CHECK: KINSTR_BEGIN KINSTR_SCOPE_DRAIN(0, 9) // @scope all drain
  // @scope all drain
#pragma unroll 4
  // CHECK: for (int i = 0; i < n; ++i) // @scope tile
  // CHECK: { KINSTR_SCOPE(1, 8)
  for (int i = 0; i < n; ++i) // @scope tile
  {
    // CHECK: KINSTR_VALUE(2, i) // @value i = i
    // @value i = i
    // CHECK: KINSTR_VALUE(3, p[i] < 0 ? f<int, 2>(i) : -1) /* @value level = p[i] < 0 ? f<int, 2>(i) : -1 */
    /* @value level = p[i] < 0 ? f<int, 2>(i) : -1 */
    // CHECK: KINSTR_BEGIN KINSTR_SCOPE(4, 7) // @scope two
    // CHECK: KINSTR_BEGIN KINSTR_SCOPE_DRAIN_STORES(5, 6) // @scope one drain=stores
    // CHECK: p[i] = i; KINSTR_END KINSTR_END
    // @scope two
    // @scope one drain=stores
    p[i] = i;
    // CHECK: } KINSTR_END
  }
}

// CHECK: __global__ void places(int *p, int n) { KINSTR_KERNEL(2, shared, slots, uniform, 10, 1024)
__global__ void places(int *p, int n) {
  // CHECK: if (n == 1) KINSTR_BEGIN KINSTR_SCOPE(0, 1) // @scope bare
  // CHECK: p[0] = 1; KINSTR_END
  if (n == 1) // @scope bare
    p[0] = 1;
  // CHECK: else KINSTR_BEGIN KINSTR_SCOPE(2, 3) // @scope other
  // CHECK: p[2] = 1; KINSTR_END
  else // @scope other
    p[2] = 1;
  switch (n) {
  // CHECK: case 3: KINSTR_BEGIN KINSTR_SCOPE(4, 5) // @scope three
  // CHECK: p[3] = 3; KINSTR_END
  case 3: // @scope three
    p[3] = 3;
    break;
  default:
    break;
  }
  // A whole chain of if and else.
  // CHECK: KINSTR_BEGIN KINSTR_SCOPE(6, 7) // @scope chain
  // @scope chain
  if (n)
    p[4] = 4;
  else if (n > 2)
    p[5] = 5;
  // CHECK: else { p[6] = 6; } KINSTR_END
  else { p[6] = 6; }
  // The statement may have directives in it.
  // CHECK: KINSTR_BEGIN KINSTR_SCOPE(8, 9) // @scope directives
  // @scope directives
  {
#if defined(A)
    p[7] = 7;
#else
    p[8] = 8;
#endif
    // CHECK: } KINSTR_END // behind
  } // behind
}

// Lanes that leave a scope's loop one by one are seen.
// CHECK: __global__ void apart(int *p) { KINSTR_KERNEL(3, shared, stream, divergent, 2, 1024)
__global__ void apart(int *p) {
  // CHECK: for (int i = 0; i < 8; ++i) {
  for (int i = 0; i < 8; ++i) {
    // @scope body
    if (p[threadIdx.x])
      break;
  }
}

// CHECK: static __device__ int callee(int n) { KINSTR_FUNCTION(uniform, leaf, 0, 3)
static __device__ int callee(int n) {
  // CHECK: KINSTR_BEGIN KINSTR_SCOPE(0, 2) // @scope work
  // @scope work
  {
    // CHECK: KINSTR_VALUE(1, n) // @value n = n
    // @value n = n
    // CHECK: return n + 1;
    return n + 1;
  }
}
__global__ void caller(int *p) { p[0] = callee(blockIdx.x); }

//      CHECK:    {"name": "loops", "line": 26, "buffer": "shared", "layout": "stream", "flow": "uniform", "sites": [
// CHECK-NEXT:      {"kind": "scope", "name": "all", "line": 28, "drain": "loads"},
// CHECK-NEXT:      {"kind": "scope", "name": "tile", "line": 32, "drain": "none"},
// CHECK-NEXT:      {"kind": "value", "name": "i", "line": 35, "drain": "none"},
// CHECK-NEXT:      {"kind": "value", "name": "level", "line": 37, "drain": "none"},
// CHECK-NEXT:      {"kind": "scope", "name": "two", "line": 41, "drain": "none"},
// CHECK-NEXT:      {"kind": "scope", "name": "one", "line": 42, "drain": "stores"},
// CHECK-NEXT:      {"kind": "scope-end", "name": "one", "line": 42, "drain": "stores"},
// CHECK-NEXT:      {"kind": "scope-end", "name": "two", "line": 41, "drain": "none"},
// CHECK-NEXT:      {"kind": "scope-end", "name": "tile", "line": 32, "drain": "none"},
// CHECK-NEXT:      {"kind": "scope-end", "name": "all", "line": 28, "drain": "loads"}]},
