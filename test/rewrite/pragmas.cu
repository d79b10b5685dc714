// A statement between '#pragma unroll' and its loop would cancel the pragma: marks go in front of both.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s
// RUN: %kinstr %s -arch=sm_90 --no-remarks -o %t.cu && %python %S/../tools/inserts_only.py %s %t.cu

__global__ void kernel(int *p, int n) {
  // CHECK: KINSTR_MARK(0) // @phase before
  // CHECK: #pragma unroll
  // CHECK-NEXT: for (int i = 0; i < 4; ++i)
  // @phase before
#pragma unroll
  for (int i = 0; i < 4; ++i)
    p[i] = i;
  // CHECK: p[4] = n; KINSTR_MARK(1)
  p[4] = n;
#pragma unroll 4
  // @phase between
  for (int i = 0; i < 4; ++i)
    p[i] = i;
  // Those in front of the pragma and those behind it stay in order.
  // CHECK: KINSTR_MARK(2) KINSTR_MARK(3) KINSTR_MARK(4) // @phase x
  // @phase x
#pragma unroll 2
  // @phase y
  // @phase z
  while (--n > 0)
    p[n] = n;
  // Inside of a loop with a pragma it is as anywhere.
  // CHECK: for (int i = 0; i < 4; ++i) { KINSTR_MARK(5) // @phase inside
#pragma unroll 1
  for (int i = 0; i < 4; ++i) { // @phase inside
    p[i] = i;
  }
  // CHECK: for (int i = 0; i < 4; ++i) KINSTR_BEGIN KINSTR_MARK(6) // @phase bare
  // CHECK-NEXT: p[i] = i; KINSTR_END
#pragma unroll 1
  for (int i = 0; i < 4; ++i) // @phase bare
    p[i] = i;
  // Other pragmas do not mind.
  // CHECK: #pragma nv_diag_suppress 177
  // CHECK-NEXT: KINSTR_MARK(7) // @phase other
#pragma nv_diag_suppress 177
  // @phase other
  p[5] = n;
}

int main() { kernel<<<1, 32>>>(nullptr, 1); }
