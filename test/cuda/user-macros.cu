// Macros of the user's with everyday names do not reach into what the inserted macros expand to.
// REQUIRES: cuda
// RUN: %kinstr %s -o %t.cu --no-remarks
// RUN: %nvcc -arch=sm_90 -std=c++17 -Werror all-warnings -I%runtime_include -c %t.cu -o %t.o
#define shared __shared__
#define global __global__
#define uniform const
#define slots 0
#define stream 1
#define mark broken(
#define recorder broken(
#define buffer broken(
#define layout broken(
#define flow broken(
#define state broken(
#define loads broken(
#define stores broken(
#define detail broken(
#define tables broken(
#define grid broken(
#define block broken(
#define E 2.718
#define K broken(
#define S broken(

__global__ void kernel(float *out)
{
  shared float s[32];
  // @phase load
  s[threadIdx.x] = out[threadIdx.x];
  // @phase store drain
  out[threadIdx.x] = s[threadIdx.x];
  // @phase rest drain=stores
  out[threadIdx.x] += 1;
}

int main()
{
  kernel<<<1, 32, 0, nullptr>>>(nullptr);
  cudaDeviceReset();
  return 0;
}
