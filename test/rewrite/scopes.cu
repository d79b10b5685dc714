// Kernels in namespaces, with linkage and storage specifiers; several in one file are numbered in order.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s

// CHECK: extern "C" __global__ void with_linkage(int *p) { KINSTR_KERNEL(0, {{.*}}
extern "C" __global__ void with_linkage(int *p) {
  // @phase a
  p[0] = 1;
}
__global__ void not_annotated(int *p) { p[0] = 1; }
namespace {
// CHECK: __global__ void unnamed(int *p) { KINSTR_KERNEL(1, {{.*}}
__global__ void unnamed(int *p) {
  // @phase a
  p[0] = 1;
}
} // namespace
namespace outer { inline namespace v1 {
// CHECK: static __global__ void nested(int *p); // a declaration
// CHECK: static __global__ void nested(int *p) { KINSTR_KERNEL(2, {{.*}}
static __global__ void nested(int *p); // a declaration
static __global__ void nested(int *p) {
  // @phase a
  p[0] = 1;
}
}} // namespace outer::v1

int main() {
  with_linkage<<<1, 32>>>(nullptr);
  not_annotated<<<1, 32>>>(nullptr);
  unnamed<<<1, 32>>>(nullptr);
  // CHECK: outer::nested<<<KINSTR_GRID(2, outer::nested, 1), KINSTR_BLOCK(2, 32)>>>(nullptr);
  outer::nested<<<1, 32>>>(nullptr);
}

// CHECK: {"name": "with_linkage", {{.*}}
// CHECK: {"name": "(anonymous namespace)::unnamed", {{.*}}
// CHECK: {"name": "outer::nested", {{.*}}
