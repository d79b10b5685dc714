// A call by pointer or by an object's type may be of any function of the file, also of one that ends the
// thread.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2>%t.err
// RUN: FileCheck %s < %t.cu
// RUN: FileCheck %s --check-prefix=WHY < %t.err
// RUN: sed 's/exit;/bar.warp.sync 1;/' %s > %t.harmless.cu
// RUN: %kinstr %t.harmless.cu -arch=sm_90 --no-remarks | FileCheck %s --check-prefix=HARMLESS

struct shape { __device__ virtual void draw(int *p) = 0; };
struct leaver : shape {
  __device__ void draw(int *p) override {
    // WHY: indirect-calls.cu:[[#@LINE+1]]:27: note: this may leave the kernel
    if (threadIdx.x == 1) asm volatile("exit;");
  }
};

// CHECK: void by_pointer({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
// HARMLESS: void by_pointer({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, slots, uniform,
__global__ void by_pointer(int *p, void (*f)(int *)) {
  f(p);
  // @phase a
  p[0] = 1;
}

// CHECK: void by_type({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
// HARMLESS: void by_type({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, slots, uniform,
__global__ void by_type(int *p, shape *s) {
  s->draw(p);
  // @phase a
  p[0] = 1;
}

// CHECK: void by_name({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, slots, uniform,
// HARMLESS: void by_name({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, slots, uniform,
__device__ void stays(int *p) { p[1] = 1; }
__global__ void by_name(int *p) {
  stays(p);
  // @phase a
  p[0] = 1;
}
