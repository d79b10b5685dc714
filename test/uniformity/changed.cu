// Values that look the same in all lanes and were changed in a way that is easy to miss.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2>/dev/null
// RUN: FileCheck %s < %t.cu

// One instance of the body changes the copy that the other reads.
// CHECK: void mutable_copy(int *p)
__global__ void mutable_copy(int *p) {
  // CHECK: auto f = {{.*}} KINSTR_FUNCTION(divergent,
  auto f = [c = 0, p](auto t) mutable {
    if constexpr (sizeof(t) == 8)
      c = threadIdx.x;
    else if (c > 3) {
      // @phase a
      p[1] = 1;
    }
  };
  f(1ll);
  f(1);
}

// The promise of "const __restrict__" was about another address.
// CHECK: void repointed({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, slots, divergent,
__global__ void repointed(const int *__restrict__ in, int *out) {
  in = out;
  if (in[3]) {
    // @phase a
    *out = 1;
  }
}

// CHECK: void advanced({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, slots, uniform,
__global__ void advanced(const int *__restrict__ in, int *out) {
  in += 4;
  if (in[3]) {
    // @phase a
    *out = 1;
  }
}
