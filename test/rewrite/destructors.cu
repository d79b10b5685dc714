// Functions that a kernel calls without naming them: it has to introduce its blocks for them, too.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2>%t.err && FileCheck %s --input-file=%t.cu
// RUN: not grep "no kernel in sight" %t.err

struct Guard {
  int *p;
  // CHECK: ~Guard() { KINSTR_FUNCTION(divergent, leaf, 0, 1)
  __device__ ~Guard() {
    // @phase release
    *p = 0;
  }
};
struct Holder { Guard guard; };

struct Init {
  int a;
  // CHECK: Init(int x) : a([&] { KINSTR_FUNCTION(divergent, leaf, 2, 1)
  __device__ Init(int x) : a([&] {
    // @phase init
    return x + 1;
  }()) {}
};

// CHECK: void local(int *p) { KINSTR_KERNEL(0, shared, slots, uniform, 0, 1024)
__global__ void local(int *p) { Holder h{{p}}; }
// CHECK: void init(int *p) { KINSTR_KERNEL(1, shared, slots, uniform, 0, 1024)
__global__ void init(int *p) { *p = Init(3).a; }

int main() {
  local<<<1, 32>>>(nullptr);
  init<<<1, 32>>>(nullptr);
}
