// A load that nobody needs in its phase: the wait goes to the phase that does, and a remark says so.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2>&1 | grep -v "no launch of\|KINSTR_OPTIONS=attach" > %t.txt
// RUN: FileCheck %s --implicit-check-not=remark: < %t.txt

__global__ void declared(const float *in, float *out) {
  // @phase load
  float v = in[threadIdx.x];
  // @phase store
  out[threadIdx.x] = v;
}
// CHECK: late-loads.cu:[[#@LINE-4]]:13: remark: nothing in phase 'load' uses 'v'; the wait for it is charged to phase 'store'
// CHECK: late-loads.cu:[[#@LINE-4]]:6: note: 'drain' here charges it to 'load', but ends the overlap with what follows

// Through a pointer made of a parameter, of a type of its own, and with a phase between.
__global__ void between(const float *in, float *out) {
  const float *row = in + blockIdx.x * 128;
  float4 v;
  // @phase load
  v = *reinterpret_cast<const float4 *>(row + threadIdx.x * 4);
  // @phase other
  out[0] = 1;
  // @phase use
  out[threadIdx.x] = v.x;
}
// CHECK: late-loads.cu:[[#@LINE-6]]:7: remark: nothing in phase 'load' uses 'v'; the wait for it is charged to phase 'use'
// CHECK: note: 'drain' here

// In a loop, and in a template.
template <typename T> __global__ void loop(const T *in, T *out, int n) {
  for (int i = 0; i < n; ++i) {
    // @phase fetch
    T v = in[i * 32 + threadIdx.x];
    // @phase put
    out[i * 32 + threadIdx.x] = v;
  }
}
template __global__ void loop<int>(const int *, int *, int);
// CHECK: late-loads.cu:[[#@LINE-6]]:11: remark: nothing in phase 'fetch' uses 'v'; the wait for it is charged to phase 'put'
// CHECK: note: 'drain' here

// The mark waits.
__global__ void drained(const float *in, float *out) {
  // @phase load
  float v = in[threadIdx.x];
  // @phase store drain
  out[threadIdx.x] = v;
}

// The phase waits: it computes with the value, or names it.
__global__ void used(const float *in, float *out, int i) {
  // @phase load
  float twice = 2 * in[threadIdx.x];
  float v = in[threadIdx.x + i];
  if (v > 0)
    out[0] = 1;
  double converted = in[threadIdx.x];
  // @phase store
  out[threadIdx.x] = twice + v + converted;
}

// Not from global memory, or not known to be.
__global__ void shared(float *out) {
  __shared__ float tile[128];
  // @phase load
  float v = tile[threadIdx.x];
  // @phase store
  out[threadIdx.x] = v;
}
__device__ float device(const float *p) {
  // @phase inner
  float v = p[threadIdx.x];
  // @phase outer
  return v;
}
__global__ void caller(const float *in, float *out) { out[0] = device(in); }

// Nobody needs it in any phase, or only after the end of all.
__global__ void nobody(const float *in, float *out) {
  // @phase load
  float unused = in[threadIdx.x];
  float late = in[threadIdx.x + 1];
  // @end
  out[threadIdx.x] = late;
}
