// The whole of a rewritten file: two lines at the head, statements at the comments, wrapped launches,
// and the table the trace is read with at the end.
// RUN: cd %S && %kinstr straight.cu -arch=sm_90 --no-remarks | FileCheck --match-full-lines --strict-whitespace %s
// RUN: %kinstr %s -arch=sm_90 --no-remarks -o %t.cu && %python %S/../tools/inserts_only.py %s %t.cu

//      CHECK:#include <kinstr/trace.cuh> // written by kinstr; nvcc needs $(kinstr --nvcc-flags)
// CHECK-NEXT:#line 1 "straight.cu"
// CHECK-NEXT:// The whole of a rewritten file: two lines at the head, statements at the comments, wrapped launches,

namespace ns {
//      CHECK:__global__ void kernel(float *p) { KINSTR_KERNEL(0, shared, slots, uniform, 3, 1024)
// CHECK-NEXT:  KINSTR_MARK(0) // @phase load
// CHECK-NEXT:  float v = p[threadIdx.x];
// CHECK-NEXT:  KINSTR_MARK_DRAIN(1) // @phase compute drain
// CHECK-NEXT:  v = v * v;
// CHECK-NEXT:  KINSTR_MARK(2) // @end
// CHECK-NEXT:  p[threadIdx.x] = v;
// CHECK-NEXT:}
__global__ void kernel(float *p) {
  // @phase load
  float v = p[threadIdx.x];
  // @phase compute drain
  v = v * v;
  // @end
  p[threadIdx.x] = v;
}
} // namespace ns

//      CHECK:int main() { ns::kernel<<<KINSTR_GRID(0, ns::kernel, 1), KINSTR_BLOCK(0, 32)>>>(nullptr); }
int main() { ns::kernel<<<1, 32>>>(nullptr); }

//      CHECK:// The last line of the file.
// CHECK-NEXT:#ifndef KINSTR_OFF
// CHECK-NEXT:static const ::kinstr::kinstr_tables<2> kinstr_file(R"kinstr({
// CHECK-NEXT:  "abi": {{[0-9]+}},
// CHECK-NEXT:  "file": "straight.cu",
// CHECK-NEXT:  "kernels": [
// CHECK-NEXT:    {"name": "ns::kernel", "line": 19, "buffer": "shared", "layout": "slots", "flow": "uniform", "sites": [
// CHECK-NEXT:      {"kind": "phase", "name": "load", "line": 20, "drain": "none"},
// CHECK-NEXT:      {"kind": "phase", "name": "compute", "line": 22, "drain": "loads"},
// CHECK-NEXT:      {"kind": "end", "name": "", "line": 24, "drain": "none"}]}],
// CHECK-NEXT:  "callees": [],
// CHECK-NEXT:  "launches": [
// CHECK-NEXT:    {"line": 30, "kernel": 0}]
// CHECK-NEXT:})kinstr");
// CHECK-NEXT:#endif
// CHECK-EMPTY:
// The last line of the file.
