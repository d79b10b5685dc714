// Launches of annotated kernels are wrapped argument by argument, however they are written.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s
// RUN: %kinstr %s -arch=sm_90 --no-remarks -o %t.cu && %python %S/../tools/inserts_only.py %s %t.cu

__global__ void kernel(int *p) {
  // @phase a
  p[0] = 1;
}
template <int A, int B> __global__ void two(int *p) {
  // @phase a
  p[0] = A + B;
}
__global__ void overloaded(int *p) {
  // @phase a
  p[0] = 1;
}
__global__ void overloaded(float *p) { p[0] = 1; }
__global__ void not_annotated(int *p) { p[0] = 1; }

#define CHECK(...) do { __VA_ARGS__; (void)cudaGetLastError(); } while (0)
#define TWICE(x) do { x; x; } while (0)

template <typename T> void in_template(T *p, cudaStream_t stream) {
  // CHECK: two<1, 2><<<KINSTR_GRID(0, (two<1, 2>), dim3(1, 2)), KINSTR_BLOCK(0, dim3{32, 1, 1}), KINSTR_SHARED(0, 0), KINSTR_STREAM(0, stream)>>>(p);
  two<1, 2><<<dim3(1, 2), dim3{32, 1, 1}, 0, stream>>>(p);
}

int main() {
  int *p = nullptr, a = 1, b = 2;
  in_template(p, 0);
  // CHECK: if (a) kernel<<<KINSTR_GRID(1, kernel, 1), KINSTR_BLOCK(1, 32)>>>(p); else kernel<<<KINSTR_GRID(2, kernel, 2), KINSTR_BLOCK(2, 32)>>>(p);
  if (a) kernel<<<1, 32>>>(p); else kernel<<<2, 32>>>(p);
  // CHECK: ::kernel<<<KINSTR_GRID(3, ::kernel, a < b ? 1 : 2), KINSTR_BLOCK(3, a > b ? 32 : (64 >> 1))>>>(p);
  ::kernel<<<a < b ? 1 : 2, a > b ? 32 : (64 >> 1)>>>(p);
  // A braced list is an argument too.
  // CHECK: kernel<<<KINSTR_GRID(4, nullptr, {1, 2}), KINSTR_BLOCK(4, {32, 1})>>>(p);
  kernel<<<{1, 2}, {32, 1}>>>(p);
  // CHECK: kernel<<<KINSTR_GRID(5, kernel, 1), /* a, b */ KINSTR_BLOCK(5, 32)
  // CHECK: , KINSTR_SHARED(5, 0), // shared
  // CHECK: KINSTR_STREAM(5, nullptr) // stream
  // CHECK: >>>(p);
  kernel<<<1, /* a, b */ 32
           , 0, // shared
           nullptr // stream
           >>>(p);
  // In a macro's argument the commas are inside of brackets.
  // CHECK: CHECK((two<3, 4><<<KINSTR_GRID(6, (two<3, 4>), 1), KINSTR_BLOCK(6, 32)>>>(p)));
  CHECK((two<3, 4><<<1, 32>>>(p)));
  // CHECK: CHECK(kernel<<<KINSTR_GRID(7, kernel, 1), KINSTR_BLOCK(7, 32)>>>(p));
  CHECK(kernel<<<1, 32>>>(p));
  // One spelling is one launch site, whatever a macro makes of it.
  // CHECK: TWICE((kernel<<<KINSTR_GRID(8, kernel, 1), KINSTR_BLOCK(8, 32)>>>(p)));
  TWICE((kernel<<<1, 32>>>(p)));
  // CHECK: auto later = [=] { kernel<<<KINSTR_GRID(9, kernel, 1), KINSTR_BLOCK(9, 32)>>>(p); };
  auto later = [=] { kernel<<<1, 32>>>(p); };
  later();
  // A pointer may hold any kernel, an overload set several.
  // CHECK: pointer<<<KINSTR_GRID(10, pointer, 1), KINSTR_BLOCK(10, 32)>>>(p);
  void (*pointer)(int *) = kernel;
  pointer<<<1, 32>>>(p);
  // CHECK: table[a]<<<KINSTR_GRID(11, nullptr, 1), KINSTR_BLOCK(11, 32)>>>(p);
  void (*table[])(int *) = {kernel, not_annotated};
  table[a]<<<1, 32>>>(p);
  // CHECK: overloaded<<<KINSTR_GRID(12, nullptr, 1), KINSTR_BLOCK(12, 32)>>>(p);
  overloaded<<<1, 32>>>(p);
  // Kernels without annotations are left alone.
  // CHECK: overloaded<<<1, 32>>>(static_cast<float *>(nullptr));
  overloaded<<<1, 32>>>(static_cast<float *>(nullptr));
  // CHECK: not_annotated<<<1, 32>>>(p);
  not_annotated<<<1, 32>>>(p);
  // So that the arena is written before it is destroyed:
  // CHECK: CHECK(KINSTR_cudaDeviceReset());
  CHECK(cudaDeviceReset());
  // CHECK: return KINSTR_cudaDeviceReset();
  return cudaDeviceReset();
}

// How many arguments each has, and whose launch it is; -1 where only the run will tell.
// CHECK: static const ::kinstr::kinstr_tables<4, 2, 2, 2, 2, 4, 2, 2, 2, 2, 2, 2, 2> kinstr_file(R"kinstr({
// CHECK: "launches": [
// CHECK-NEXT: {"line": [[#]], "kernel": 1},
// CHECK-NEXT: {"line": [[#LINE:]], "kernel": 0},
// CHECK-NEXT: {"line": [[#LINE]], "kernel": 0},
// CHECK-NEXT: {"line": [[#]], "kernel": 0},
// CHECK-NEXT: {"line": [[#]], "kernel": 0},
// CHECK-NEXT: {"line": [[#]], "kernel": 0},
// CHECK-NEXT: {"line": [[#]], "kernel": 1},
// CHECK-NEXT: {"line": [[#]], "kernel": 0},
// CHECK-NEXT: {"line": [[#]], "kernel": 0},
// CHECK-NEXT: {"line": [[#]], "kernel": 0},
// CHECK-NEXT: {"line": [[#]], "kernel": -1},
// CHECK-NEXT: {"line": [[#]], "kernel": -1},
// CHECK-NEXT: {"line": [[#]], "kernel": 2}]
