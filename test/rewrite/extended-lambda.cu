// A host function may hold a lambda of the device; a lambda in device code is of the device.
// RUN: %kinstr %s -arch=sm_90 --extended-lambda -o %t.cu --no-remarks && FileCheck %s --match-full-lines --strict-whitespace --input-file=%t.cu
// RUN: %python %S/../tools/inserts_only.py %s %t.cu
// CHECK:template <typename F> __global__ void apply(F f, int *p) { KINSTR_KERNEL(0, shared, slots, uniform, 0, 1024) *p = f(*p); }
template <typename F> __global__ void apply(F f, int *p) { *p = f(*p); }
void extended(int *p) {
  // CHECK:  auto g = [=] __device__(int v) { KINSTR_FUNCTION(uniform, leaf, 0, 1)
  auto g = [=] __device__(int v) {
    // CHECK:    KINSTR_MARK(0) // @phase extended
    // @phase extended
    return v + 1;
  };
  apply<<<1, 32>>>(g, p);
}
