// The line in a name is that of what the phase is about; a name that occurs once
// needs none, unless it is a barrier, a wait or a loop.
// RUN: %kinstr --auto --emit-annotations %s -arch=sm_90 --no-remarks | FileCheck %s

// CHECK: {{^}}__global__ void lines(
// CHECK-NEXT: {{^}}  // @phase load_L[[#@LINE+6]]
// CHECK: {{^}}  // @phase barrier_L[[#@LINE+6]]
// CHECK: {{^}}  // @phase load_L[[#@LINE+9]]
// CHECK: {{^}}  // @phase loop_L[[#@LINE+9]]
// CHECK: {{^}}  // @phase store
__global__ void lines(float *out, const float *in, int n) {
  float v = in[0];
  __syncthreads();
  // An index that leads up to a load belongs to it.
  int i = threadIdx.x;
  i += blockIdx.x;
  v += in[i];
  for (i = 0; i < n; ++i)
    v += in[i] * v;
  out[0] = v;
}

// Two in one line, and nothing to put a line of its own before.
// CHECK: {{^}}__global__ void one(float *out) { /* @phase barrier_L[[#@LINE+1]] */ __syncthreads(); /* @phase store_L[[#@LINE+1]] */ out[0] = 1; /* @phase barrier_L[[#@LINE+1]].2 */ __syncthreads(); /* @phase store_L[[#@LINE+1]].2 */ out[1] = 2; }
__global__ void one(float *out) { __syncthreads(); out[0] = 1; __syncthreads(); out[1] = 2; }

// Too many: waits stay, and what they take over is in their names.
// CHECK: {{^}}__global__ void many(
// CHECK-COUNT-12: {{^}}  // @phase
// CHECK-NOT: {{^}}  // @phase
// CHECK: {{^}}} // end of many
__global__ void many(float *out, float *in) {
  out[0] = 1;
  __syncthreads();
  out[1] = in[0];
  __syncthreads();
  out[2] = 1;
  __syncthreads();
  out[3] = in[1];
  __syncthreads();
  out[4] = 1;
  __syncthreads();
  out[5] = in[2];
  __syncthreads();
  out[6] = 1;
  __syncthreads();
} // end of many
// CHECK: {{^}}__global__ void merged(
// CHECK-COUNT-2: {{^}}  // @phase barrier_L{{[0-9]+}}+compute{{$}}
__global__ void merged(float *out, float *in) {
  out[0] = 1;
  __syncthreads();
  out[1] = in[0];
  __syncthreads();
  out[2] = 1;
  __syncthreads();
  out[3] = in[1];
  __syncthreads();
  out[4] = 1;
  __syncthreads();
  out[5] = 1;
  __syncthreads();
  out[6] = 1;
  __syncthreads();
}
