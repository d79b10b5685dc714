// Annotations where none may stand.
// RUN: rm -rf %t && mkdir %t
// RUN: not %kinstr %s -arch=sm_90 -o %t/out.cu 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: ls -A %t | count 0

// CHECK: function.cu:[[#@LINE+1]]:4: error: annotation outside of a kernel
// @phase a
int global;

// CHECK: :[[#@LINE+2]]:6: error: annotation in the constexpr function 'constant', which may hold no variable that records
__device__ constexpr int constant() {
  // @phase a
  return 1;
}
// CHECK: :[[#@LINE+3]]:8: error: annotation in the constexpr function 'lambda in constant_lambda'
__global__ void constant_lambda(int *p) {
  auto f = [](int a) constexpr {
    // @phase a
    return a;
  };
  p[0] = f(1);
}
struct Caught {
  // CHECK: :[[#@LINE+2]]:8: error: annotation in 'Caught::Caught', whose body is a 'try' block
  __device__ Caught() try {
    // @phase a
  } catch (...) {
  }
};
// CHECK: :[[#@LINE+2]]:6: error: annotation in the host function 'host'
int host() {
  // @phase a
  return 1;
}

// CHECK: :[[#@LINE+3]]:20: error: an annotation cannot stand in a preprocessor directive
// CHECK: :[[#@LINE+2]]:20: note: the body of a macro is one line to nvcc and has no lines of its own to time
__global__ void macros(int *p) {
#define LOAD(i) /* @phase a */ p[i]
  p[0] = LOAD(1);
  // CHECK: :[[#@LINE+3]]:8: error: an annotation cannot stand in the argument of a macro
#define TIMED(...) __VA_ARGS__
  TIMED(
    // @phase a
    p[1] = 1;
  )
}
// CHECK: :[[#@LINE+3]]:6: error: the kernel 'by_macro' is defined by a macro
#define BEGIN(name) __global__ void name(int *p) {
BEGIN(by_macro)
  // @phase a
  p[0] = 1;
}

// CHECK: :[[#@LINE+3]]:8: error: annotation in a host lambda: 'lambda in lambdas'
int lambdas(int n) {
  auto f = [=] {
    // @phase a
    return n;
  };
  return f();
}

// CHECK: :[[#@LINE+1]]:4: error: '@kernel' needs a '__global__' or '__device__' function below or around it
// @kernel name
__device__ int not_defined();

// CHECK: :[[#@LINE+3]]:8: error: '@kernel' needs a '__global__' or '__device__' function below or around it
__global__ void root_lambda(int *p) {
  auto f = [&] {
    // @kernel name
    p[0] = 1;
  };
  f();
}

// CHECK: :[[#@LINE+3]]:6: error: the function 'member_by_macro' is defined by a macro
#define MEMBER(name) __device__ void name(int *p) {
MEMBER(member_by_macro)
  // @phase a
  p[0] = 1;
}

// CHECK: :[[#@LINE+3]]:6: error: a second '@kernel' for 'twice'
// @kernel one
__global__ void twice(int *p) {
  // @kernel two
  // @phase a
  p[0] = 1;
}

int main() { twice<<<1, 32>>>(nullptr); }
