// "function" is there where the runtime reads another name from the kernel than it is reported by.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | grep '{"name": ".*"buffer"' | FileCheck %s

// CHECK: {"name": "plain", "line"
__global__ void plain(int *p) {
  // @phase a
  p[0] = 1;
}
namespace outer {
inline namespace v1 {
// CHECK: {"name": "outer::{{(v1::)?}}in_namespace", {{("function": "outer::v1::in_namespace", )?}}"line"
template <typename T> __global__ void in_namespace(T *p) {
  // @phase a
  p[0] = 1;
}
} // namespace v1
namespace {
// CHECK: {"name": "outer::(anonymous namespace)::hidden", "line"
__global__ void hidden(int *p) {
  // @phase a
  p[0] = 1;
}
} // namespace
// CHECK: {"name": "outer::of_c", "function": "of_c", "line"
extern "C" __global__ void of_c(int *p) {
  // @phase a
  p[0] = 1;
}
// CHECK: {"name": "renamed", "function": "outer::another", "line"
// @kernel renamed
__global__ void another(int *p) {
  // @phase a
  p[0] = 1;
}
} // namespace outer
