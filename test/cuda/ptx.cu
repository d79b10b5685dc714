// What nvcc makes of the marks: a __syncwarp and a clock read each, the anchors, the buffer, the copy.
// REQUIRES: cuda
// RUN: %kinstr %s -arch=sm_90 --no-remarks --buffer=shared -o %t.cu
// RUN: %nvcc -O3 -arch=sm_90 -ptx -I %runtime_include %t.cu -o %t.ptx && FileCheck %s < %t.ptx
// RUN: %kinstr %s -arch=sm_90 --no-remarks --buffer=global -o %t.global.cu
// RUN: %nvcc -O3 -arch=sm_90 -ptx -I %runtime_include %t.global.cu -o %t.global.ptx && FileCheck %s --check-prefix=GLOBAL < %t.global.ptx

// The kernel has two sites and so three events, the last at its exit; the anchor is taken at the start
// and at the end. An event is stored before the next one's clock is read. Straight to global memory there
// is neither a buffer nor a copy.
// CHECK-LABEL: .entry straight(
// CHECK: .shared
// CHECK-DAG: %smid
// CHECK-DAG: mov.u64 {{.*}} %globaltimer;
// CHECK-DAG: mov.u64 {{.*}} %clock64;
// CHECK: bar.warp.sync
// CHECK: mov.u64 {{.*}} %clock64;
// CHECK: ld.global
// CHECK: st.shared.u32
// CHECK: bar.warp.sync
// CHECK: mov.u64 {{.*}} %clock64;
// CHECK: st.global
// CHECK: st.shared.u32
// CHECK: bar.warp.sync
// CHECK: mov.u64 {{.*}} %clock64;
// CHECK: st.shared.u32
// CHECK: mov.u64 {{.*}} %globaltimer;
// CHECK: ld.shared.u32
// CHECK: st.global.cs.u32
// CHECK-NOT: %clock64
// CHECK: ret;
// GLOBAL-LABEL: .entry straight(
// GLOBAL-NOT: {{(st|ld).shared}}
// GLOBAL: bar.warp.sync
// GLOBAL-NOT: {{(st|ld).shared}}
// GLOBAL: mov.u64 {{.*}} %clock64;
// GLOBAL-NOT: {{(st|ld).shared}}
// GLOBAL: st.global.cs.u32
extern "C" __global__ void __launch_bounds__(128) straight(const int *in, int *out) {
  // @phase load
  int v = in[threadIdx.x];
  // @phase store
  out[threadIdx.x] = v;
}

// 'drain' is a fence before the read, 'drain=stores' a stronger one.
// CHECK-LABEL: .entry drained(
// CHECK: fence.acq_rel.cta;
// CHECK: mov.u64 {{.*}} %clock64;
// CHECK: {{membar.gl|fence.*gpu}};
// CHECK: mov.u64 {{.*}} %clock64;
// GLOBAL-LABEL: .entry drained(
// GLOBAL: fence.acq_rel.cta;
// GLOBAL: {{membar.gl|fence.*gpu}};
extern "C" __global__ void drained(int *p) {
  // @phase a drain
  p[0] = 1;
  // @phase b drain=stores
  p[1] = 1;
}

int main() {
  straight<<<1, 128>>>(nullptr, nullptr);
  drained<<<1, 32>>>(nullptr);
}
