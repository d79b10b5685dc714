// Directives around and between statements: what is inactive does not count.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s
// RUN: %kinstr %s -arch=sm_90 --no-remarks -o %t.cu && %python %S/../tools/inserts_only.py %s %t.cu

__global__ void kernel(int *p, int n)
#ifdef OTHER
{
#else
// CHECK: { KINSTR_KERNEL(0, shared, stream, uniform, 5, 1024)
{
#endif
#if 0
  words that are no code, and end in no semicolon (
#endif
  // CHECK: KINSTR_MARK(0) // @phase a
  // @phase a
#if __CUDA_ARCH__ >= 800
  if (n > 2)
#else
  if (n > 3)
#endif
  // @phase b
  // CHECK: { KINSTR_MARK(1)
  {
    p[0] = 1;
  }
  if (n > 4)
    // @phase c
#if 0
    neither is this
#endif
  // CHECK: { KINSTR_MARK(2)
  {
    p[1] = 1;
  }
  // CHECK: ++i) { KINSTR_MARK(3) // @phase d
  for (int i = 0;
#if 1
       i < n;
#endif
       ++i) { // @phase d
    p[i] = 1;
  }
#ifdef OTHER
  p[3] = 2;
#else
  p[3] = 1;
#endif
  // CHECK: KINSTR_MARK(4) // @phase e
  // @phase e
}

int main() { kernel<<<1, 32>>>(nullptr, 1); }
