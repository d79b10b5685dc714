// 'drain' waits for loads before the clock is read, 'drain=stores' for stores too.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s

__global__ void kernel(int *p)
{
  // CHECK: KINSTR_MARK(0) // @phase plain
  // @phase plain
  p[0] = 1;
  // CHECK: KINSTR_MARK_DRAIN(1) // @phase a drain
  // @phase a drain
  p[1] = 1;
  // CHECK: KINSTR_MARK_DRAIN(2) // @phase b drain=loads
  // @phase b drain=loads
  p[2] = 1;
  // CHECK: KINSTR_MARK_DRAIN_STORES(3) // @phase c drain=stores
  // @phase c drain=stores
  p[3] = 1;
}

// CHECK: {"kind": "phase", "name": "plain", "line": {{[0-9]+}}, "drain": "none"},
// CHECK: {"kind": "phase", "name": "a", "line": {{[0-9]+}}, "drain": "loads"},
// CHECK: {"kind": "phase", "name": "b", "line": {{[0-9]+}}, "drain": "loads"},
// CHECK: {"kind": "phase", "name": "c", "line": {{[0-9]+}}, "drain": "stores"}]}],

int main() { kernel<<<1, 32>>>(nullptr); }
