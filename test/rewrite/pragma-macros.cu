// A macro that is a pragma has to begin a line in what the preprocessor writes: no mark before it there.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu --no-remarks && FileCheck %s --match-full-lines --strict-whitespace --input-file=%t.cu
#define UNROLL #pragma unroll
#define UNROLL_4 _Pragma("unroll 4")

__global__ void kernel(int *p, int n) {
  // CHECK:  KINSTR_MARK(0) // @phase above
  // @phase above
  UNROLL
  for (int i = 0; i < 8; ++i)
    p[i] = n;
  // CHECK:  p[8] = n; KINSTR_MARK(1)
  p[8] = n;
  /* @phase before */ UNROLL_4
  for (int i = 0; i < 8; ++i)
    p[i] += n;
}

int main() {
  kernel<<<1, 32>>>(nullptr, 1);
}
