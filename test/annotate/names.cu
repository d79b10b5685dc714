// Names: letters of any language, digits and _ - . : / +; a name may repeat.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s

// CHECK: #ifndef KINSTR_OFF
__global__ void kernel(int *p)
{
  // CHECK: {"kind": "phase", "name": "load", "line": [[#@LINE+1]], "drain": "none"},
  // @phase load
  p[0] = 1;
  // CHECK-NEXT: {"kind": "phase", "name": "Größe", "line": [[#@LINE+1]], "drain": "none"},
  // @phase Größe
  p[1] = 1;
  // CHECK-NEXT: {"kind": "phase", "name": "読み込み", "line": [[#@LINE+1]], "drain": "none"},
  // @phase 読み込み
  p[2] = 1;
  // CHECK-NEXT: {"kind": "phase", "name": "mma::k/2+1.5-x_", "line": [[#@LINE+1]], "drain": "none"},
  // @phase mma::k/2+1.5-x_
  p[3] = 1;
  // CHECK-NEXT: {"kind": "phase", "name": "load", "line": [[#@LINE+1]], "drain": "none"},
  // @phase load
  p[4] = 1;
  // CHECK-NEXT: {"kind": "phase", "name": "load", "line": [[#@LINE+1]], "drain": "none"},
  /* @phase load */ p[5] = 1;
  // CHECK-NEXT: {"kind": "mark", "name": "here", "line": [[#@LINE+1]], "drain": "none"},
  // @mark here
  // CHECK-NEXT: {"kind": "end", "name": "", "line": [[#@LINE+1]], "drain": "none"}]}],
  // @end
}

int main() { kernel<<<1, 32>>>(nullptr); }
