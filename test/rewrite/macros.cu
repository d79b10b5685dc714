// Statements, headers and braces that come out of macros.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s

#define STORE(i, v) p[i] = (v);
#define SYNC __syncthreads();
#define EACH(i) for (int i = 0; i < 4; ++i)
#define UNROLLED(i) _Pragma("unroll") for (int i = 0; i < 4; ++i)
#define RETURN_IF(c) if (c) return
#define BLOCK(...) { __VA_ARGS__ }
#define KERNEL(name) __global__ void name

// CHECK: KERNEL(kernel)(int *p, int n) { KINSTR_KERNEL(0, shared, stream, uniform, 9, 1024)
KERNEL(kernel)(int *p, int n) {
  // CHECK: STORE(0, n) KINSTR_MARK(0) // @phase statement
  STORE(0, n) // @phase statement
  // CHECK: SYNC KINSTR_MARK(1) // @phase sync
  SYNC // @phase sync
  // CHECK: EACH(i) KINSTR_BEGIN KINSTR_MARK(2) // @phase bare_body
  // CHECK-NEXT: p[i] = 1; KINSTR_END
  EACH(i) // @phase bare_body
    p[i] = 1;
  // CHECK: { KINSTR_MARK(3)
  EACH(i)
  // @phase body
  {
    p[i] = 1;
  }
  // CHECK: EACH(i) EACH(j) KINSTR_BEGIN KINSTR_MARK(4) // @phase two_headers
  // CHECK-NEXT: p[i + j] = 1; KINSTR_END
  EACH(i) EACH(j) // @phase two_headers
    p[i + j] = 1;
  // CHECK: if (n) KINSTR_BEGIN KINSTR_MARK(5) // @phase before_macro
  // CHECK-NEXT: UNROLLED(i) KINSTR_BEGIN KINSTR_MARK(6) // @phase unrolled
  // CHECK-NEXT: p[i] = 1; KINSTR_END KINSTR_END
  if (n) // @phase before_macro
    UNROLLED(i) // @phase unrolled
      p[i] = 1;
  // CHECK: RETURN_IF(n == 7); KINSTR_MARK(7) // @phase after_return
  RETURN_IF(n == 7); // @phase after_return
  // CHECK: BLOCK(p[0] = 1; p[1] = 2;) KINSTR_MARK(8) // @phase after_block
  BLOCK(p[0] = 1; p[1] = 2;) // @phase after_block
}

int main() { kernel<<<1, 32>>>(nullptr, 1); }
