// Annotations of every architecture asked for are bound; one rewritten file serves them all.
// RUN: %kinstr %s -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 --no-remarks 2>%t.err | FileCheck --match-full-lines %s
// RUN: FileCheck %s --check-prefix=WARN --implicit-check-not=warning: < %t.err
// RUN: %kinstr %s -arch=sm_90 2>&1 >%t.cu | FileCheck %s --check-prefix=ONE

#if __CUDA_ARCH__ >= 900
#define THREADS 256
#else
#define THREADS 128
#endif

// The larger launch bound counts.
// CHECK: __global__ void __launch_bounds__(THREADS) kernel(int *p, int n) { KINSTR_KERNEL(0, shared, stream, uniform, 5, 256)
__global__ void __launch_bounds__(THREADS) kernel(int *p, int n) {
#if __CUDA_ARCH__ >= 900
  // CHECK: KINSTR_MARK(0) // @phase only_90
  // @phase only_90
  p[0] = 1;
#elif __CUDA_ARCH__ >= 800
  // CHECK: KINSTR_MARK(1) // @phase only_80
  // ONE: :[[#@LINE+1]]:6: warning: this branch is inactive for sm_90; the annotation has no effect
  // @phase only_80
  p[1] = 1;
#else
  // WARN: :[[#@LINE+1]]:6: warning: this branch is inactive for sm_80, sm_90; the annotation has no effect
  // @phase neither
  p[2] = 1;
#endif
  // A body without braces for one of them:
#if __CUDA_ARCH__ >= 900
  if (n > 3)
#endif
  // CHECK: KINSTR_BEGIN KINSTR_MARK(2) // @phase body_on_90
  // CHECK: p[3] = 1; KINSTR_END
  // @phase body_on_90
  p[3] = 1;
  // A loop for one of them makes a stream for both.
  // CHECK: KINSTR_MARK(3) // @phase loop_on_90
#if __CUDA_ARCH__ >= 900
  for (int i = 0; i < n; ++i)
#endif
  {
    // @phase loop_on_90
    p[4] = 1;
  }
  // CHECK: KINSTR_MARK(4) // @phase both
  // @phase both
  p[5] = 1;
}

int main() { kernel<<<1, 32>>>(nullptr, 1); }
