// '@kernel' on a __device__ function makes it the kernel's stand-in: the kernel itself may be out of
// reach, in a library.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2>%t.err && FileCheck %s --match-full-lines --strict-whitespace --input-file=%t.cu
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: <%t.err

template <typename Op> __global__ void library(Op op, float *p) { op(p); }

// CHECK:  __device__ void tile(float *p) { KINSTR_FUNCTION(uniform, leaf, 0, 1)
struct Functor {
  __device__ void tile(float *p) {
    // @phase tile
    *p = 1;
  }
  // @kernel gemm
  // CHECK:  __device__ void operator()(float *p) { KINSTR_KERNEL(0, lanes, slots, uniform, 1, 1024)
  // REMARK: roots.cu:[[#@LINE+2]]:19: remark: 'gemm' records to registers: the shared memory of the kernel it belongs to is not in sight
  // REMARK: roots.cu:[[#@LINE+1]]:19: remark: no launch of 'Functor::operator()' in this file
  __device__ void operator()(float *p) {
    // CHECK:    KINSTR_MARK(0) // @phase start
    // @phase start
    tile(p);
  }
};

// Nothing in sight calls this one.
// REMARK: roots.cu:[[#@LINE+1]]:17: remark: no kernel in sight calls 'lonely'; what it records is lost unless the kernel that does is rewritten, or '@kernel' stands on the function of yours that the kernel enters first
__device__ void lonely(float *p) {
  // @phase lonely
  *p = 2;
}

int main() { library<<<1, 32>>>(Functor(), (float *)nullptr); }
// CHECK:    {"name": "gemm", "line": {{.*}}, "buffer": "lanes", {{.*}}
