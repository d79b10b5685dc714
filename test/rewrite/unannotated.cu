// A file without annotations comes out byte for byte, with a remark.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2>&1 | FileCheck %s --implicit-check-not=warning:
// RUN: cmp %s %t.cu
// RUN: sed 's/$/\r/' %s | head -c -1 > %t.crlf.cu
// RUN: %kinstr %t.crlf.cu -arch=sm_90 -o %t.out.cu && cmp %t.crlf.cu %t.out.cu
// RUN: true > %t.empty.cu && %kinstr %t.empty.cu -arch=sm_90 | count 0

// CHECK: unannotated.cu:1:1: remark: no annotations: the copy is the original
__global__ void kernel(int *p) { p[0] = 1; }

int main() {
  kernel<<<1, 32>>>(nullptr);
  return cudaDeviceReset();
}
