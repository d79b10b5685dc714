// Text that only looks like a comment: string and character literals, raw strings, digit separators.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s

__device__ const char *plain = "// @phase string /* @phase string */";
__device__ const char *raw = R"x(
  // @phase raw
)x";
__device__ const char *continued = "\
  // @phase continued";
__device__ char quote = '"';
__device__ int separated = 1'000'000;

__global__ void kernel(int *p)
// CHECK: { KINSTR_KERNEL(0, shared, slots, uniform, 1, 1024)
{
  p[0] = '\'' + separated; // a quote in quotes
  // CHECK: KINSTR_MARK(0) // @phase real
  // @phase real
  p[1] = "// @phase no"[*p];
}

int main() { kernel<<<1, 32>>>(nullptr); }
