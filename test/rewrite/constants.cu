// A file that uses all 64 KB of constants leaves no room for the recorder's own few bytes.
// RUN: %kinstr %s -arch=sm_90 -DCOUNT=16384 -o %t.full.cu 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefix=FULL < %t.full.cu
// RUN: %kinstr %s -arch=sm_90 -DCOUNT=16000 -o %t.room.cu 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=ROOM < %t.room.cu

// REMARK: constants.cu:1:1: remark: this file's __constant__ variables take 65536 bytes; what the recorder must know is kept in global memory, where reading it costs more
// FULL: #define KINSTR_STATE_DEVICE
// FULL-NEXT: #include <kinstr/trace.cuh>
// FULL-NEXT: #line 1 "{{.*}}constants.cu"
// ROOM-NOT: {{^}}#define KINSTR_STATE_DEVICE

extern __constant__ int elsewhere[16384]; // another file's

namespace tables {
__constant__ int values[COUNT - 1];
}

struct Holder {
  static __constant__ int value;
};
__constant__ int Holder::value;

__global__ void kernel(int *p) {
  // @phase a
  p[0] = tables::values[threadIdx.x] + Holder::value;
}
void launch(int *p) { kernel<<<1, 32>>>(p); }
