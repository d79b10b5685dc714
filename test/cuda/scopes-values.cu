// Scopes and values compile with every recorder, leave nothing behind with KINSTR_OFF, and cost no stack.
// REQUIRES: cuda
// RUN: %kinstr %s -arch=sm_90 --no-remarks --buffer=shared -o %t.shared.cu
// RUN: %nvcc -Werror all-warnings -std=c++17 -O3 -arch=sm_90 -c -I %runtime_include %t.shared.cu -Xptxas -v -o %t.o 2>&1 | FileCheck %s
// RUN: %kinstr %s -arch=sm_90 --no-remarks --buffer=lanes -o %t.lanes.cu
// RUN: %nvcc -Werror all-warnings -std=c++17 -O3 -arch=sm_90 -c -I %runtime_include %t.lanes.cu -Xptxas -v -o %t.o 2>&1 | FileCheck %s
// RUN: %kinstr %s -arch=sm_90 --no-remarks --buffer=global -o %t.global.cu
// RUN: %nvcc -Werror all-warnings -std=c++17 -O3 -arch=sm_90 -c -I %runtime_include %t.global.cu -Xptxas -v -o %t.o 2>&1 | FileCheck %s
// RUN: %kinstr %s -arch=sm_90 --no-remarks --twin -o %t.twin.cu
// RUN: %nvcc -Werror all-warnings -std=c++14 -O3 -arch=sm_90 -c -I %runtime_include %t.twin.cu -o %t.o
// RUN: %nvcc -G -arch=sm_90 -c -I %runtime_include %t.shared.cu -o %t.o
// RUN: %S/../tools/cubin-identical.sh %s %t.lanes.cu %runtime_include -arch=sm_90 -O3 -lineinfo
// RUN: %S/../tools/cubin-identical.sh %s %t.twin.cu %runtime_include -arch=sm_90 -G
// A number has to be one.
// RUN: not %nvcc -DPOINTER -arch=sm_90 -c -I %runtime_include %t.shared.cu -o %t.o 2>&1 | FileCheck --check-prefix=POINTER %s
// CHECK-NOT: {{[1-9][0-9]*}} bytes stack frame
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
// POINTER: scopes-values.cu([[#@LINE+55]]): error: static assertion failed with "kinstr: a value has to be a number"
// POINTER-NOT: error:
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#ifdef POINTER
using Maybe = float *;
#else
using Maybe = int;
#endif

enum Plain { one = 1 };
enum class Scoped : short { two = 2 };
constexpr int tile_size = 128;
const int other_size    = 64;
namespace config
{
static constexpr float scale = 0.5f;
}
template <int N> struct Sized {
  static constexpr int size = N;
  __device__ void own(float *p) const
  {
    // @value own = size
    p[0] = size;
  }
};
struct Wrapped {
  __device__ operator int() const { return 3; }
};

/// A value of every type.
__global__ void types(float *p, int n, long long wide, __half half, __nv_bfloat16 brain, unsigned char byte)
{
  const bool odd = n & 1;
  // @scope all
  for (int i = 0; i < n; ++i)
  {
    // @value int = n * 2
    // @value bool = odd
    // @value byte = byte
    // @value wide = wide
    // @value size = sizeof(float) * n
    // @value float = p[i]
    // @value double = double(p[i]) / 3
    // @value half = half
    // @value bfloat16 = brain
    // @value enum = Plain::one
    // @value scoped = Scoped::two
    // @value wrapped = Wrapped()
    // @value constant = tile_size
    // @value const = other_size
    // @value float_constant = config::scale
    // @value member = Sized<3>::size
    // @value either = n > 1 ? tile_size : other_size
    // @value maybe = Maybe()
    p[i] += 1;
  }
  Sized<4>().own(p);
}

/// Every way out of a scope.
__global__ void __launch_bounds__(256) ways_out(float *p, int n)
{
  // @phase begin
  for (int i = 0; i < n; ++i)
  {
    // @scope iteration drain
    {
      if (i == 3)
        continue;
      // @value i = i
      if (i == n - 2)
        break;
      if (i == 100)
        return;
      // @scope rest
      if (i == 5)
        goto done;
      p[i] = i;
    }
  }
done:
  // @phase end
  p[n] = 1;
}

/// Lanes that part.
__global__ void apart(float *p, int n)
{
  // @scope all
  for (int i = threadIdx.x; i < n; i += 32)
  {
    // @value i = i
    if (p[i] < 0) // @scope negative
      return;
  }
}

/// Straight code: slots.
__global__ void straight(float *p)
{
  // @scope outer
  {
    // @phase first
    p[0] = 1;
    // @scope inner drain=stores
    p[1] = 2;
  }
}

/// On both sides.
__host__ __device__ inline int work(int n)
{
  // @scope work
  {
    // @value n = n
    return n + 1;
  }
}
template <typename T> __device__ T member(T v)
{
  // @scope member
  if (v > 0)
  {
    // @value v = v
    return v - 1;
  }
  return v;
}
__global__ void calls(float *p, int n)
{
  p[0] = work(n) + member(p[1]) + member(n);
}

int main()
{
  types<<<1, 32>>>(nullptr, 0, 0, 0, 0, 0);
  ways_out<<<1, 32>>>(nullptr, 0);
  apart<<<1, 32>>>(nullptr, 0);
  straight<<<1, 32>>>(nullptr);
  calls<<<1, 32>>>(nullptr, work(1));
}
