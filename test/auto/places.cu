// Marks stand only where the rewriter takes them; the lines stay, and the copy
// that is to be kept has the same phases.
// RUN: %kinstr --auto %s -arch=sm_90 --no-remarks -o %t.auto.cu
// RUN: FileCheck %s --input-file=%t.auto.cu
// RUN: %python %S/../tools/inserts_only.py %s %t.auto.cu
// RUN: %kinstr --auto --emit-annotations %s -arch=sm_90 --no-remarks -o %t.kept.cu
// RUN: FileCheck %s --input-file=%t.kept.cu --check-prefix=KEPT
// RUN: %kinstr %t.kept.cu -arch=sm_90 --no-remarks -o %t.again.cu
// RUN: grep -o '"name": *"[^"]*"' %t.auto.cu > %t.auto.names
// RUN: grep -o '"name": *"[^"]*"' %t.again.cu > %t.again.names
// RUN: diff %t.auto.names %t.again.names
// RUN: grep -c load %t.auto.names

#define UNROLL _Pragma("unroll")
#define TWICE(x) x; x

// CHECK-LABEL: {{^}}__global__ void pragmas(
// KEPT-LABEL: {{^}}__global__ void pragmas(
__global__ void pragmas(float *out, const float *in) {
  // CHECK: float v = in[0]; KINSTR_MARK([[#]]) /* @phase loop_L[[#@LINE+6]] */ // said
  // CHECK-NEXT: #pragma unroll
  // KEPT: {{^}}  float v = in[0]; // said
  // KEPT-NEXT: {{^}}  // @phase loop
  // KEPT-NEXT: {{^}}#pragma unroll
  float v = in[0]; // said
#pragma unroll
  for (int i = 0; i < 4; ++i)
    v += in[i] * v;
  // A line that is to be a pragma stays one: the mark goes before it.
  // CHECK: {{^}}    v += in[i] * v; KINSTR_MARK([[#]]) /* @phase loop_L[[#@LINE+3]] */
  // KEPT: {{^}}  // @phase loop
  // KEPT-NEXT: {{^}}  UNROLL
  UNROLL
  for (int i = 0; i < 4; ++i)
    v += in[i] * v;
  out[0] = v;
}

// In the arguments and the text of a macro there is no place.
// CHECK-LABEL: {{^}}__global__ void macros(
__global__ void macros(float *out, const float *in) {
  // CHECK: {{^}}  KINSTR_MARK([[#]]) /* @phase load */ float v = in[0];
  float v = in[0];
  // CHECK: {{^}}  KINSTR_MARK([[#]]) /* @phase barrier_L[[#@LINE+1]] */ TWICE(__syncthreads());
  TWICE(__syncthreads());
  // CHECK: {{^}}  KINSTR_MARK([[#]]) /* @phase store */ TWICE(out[0] = v);
  TWICE(out[0] = v);
}

// Not where another architecture would read a header before the statement.
// CHECK-LABEL: {{^}}__global__ void branches(
__global__ void branches(float *out, const float *in, bool c) {
  // CHECK: @phase load
  float v = in[0];
#if __CUDA_ARCH__ < 900
  if (c)
#endif
    // CHECK: {{^}}    out[1] = v;
    out[1] = v;
#if __CUDA_ARCH__ < 900
  v += 1;
#else
  // CHECK: {{^}}  KINSTR_MARK([[#]]) /* @phase barrier_L[[#@LINE+1]] */ __syncthreads();
  __syncthreads();
#endif
  // CHECK: @phase store
  out[0] = v;
}

// Where no mark can stand the phase before goes on, under its own name.
// CHECK-LABEL: {{^}}__global__ void goesOn(
__global__ void goesOn(float *out, const float *in, bool c) {
  // CHECK: {{^}}  KINSTR_MARK([[#]]) /* @phase barrier_L[[#@LINE+1]] */ __syncthreads();
  __syncthreads();
#if __CUDA_ARCH__ < 900
  if (c)
#endif
    // CHECK: {{^}}    int i = threadIdx.x;
    int i = threadIdx.x;
  // CHECK: {{^}}  KINSTR_MARK([[#]]) /* @phase load */ float v = in[threadIdx.x];
  float v = in[threadIdx.x];
  out[0] = v;
}

// Braces are not added, nor is a switch gone into.
// CHECK-LABEL: {{^}}__global__ void bodies(
__global__ void bodies(float *out, const float *in, int n) {
  // CHECK: @phase load
  float v = in[0];
  // CHECK: {{^}}  KINSTR_MARK([[#]]) /* @phase loop_L[[#@LINE+2]] */ for (int i = 0; i < n; ++i)
  // CHECK-NEXT: {{^}}    __syncthreads();
  for (int i = 0; i < n; ++i)
    __syncthreads();
  // CHECK: {{^}}  KINSTR_MARK([[#]]) /* @phase store */ switch (n) {
  // CHECK-NOT: {{^ *KINSTR_MARK}}
  switch (n) {
  case 1:
    out[1] = v;
    break;
  default:
    out[0] = v;
  }
}
// CHECK: int main
int main() {}
