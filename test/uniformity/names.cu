// Variables that are changed under another name.
// RUN: %kinstr %s -arch=sm_90 -std=c++20 -o %t.cu 2>/dev/null
// RUN: FileCheck %s < %t.cu

struct base_object { int n; };
struct object : base_object { int x[2]; };
struct plain { int m, x; };
struct holder { int &value; };
struct setter { __device__ setter(int &n) { n = threadIdx.x; } };
struct property_object {
  __declspec(property(get = get)) int lane;
  __device__ int get() { return threadIdx.x; }
};
namespace mine { __device__ uint3 blockIdx; }
__device__ void set(int &);

// A cast to a reference is another name.
// CHECK: void c_cast({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void c_cast(float *o, int n) {
  (unsigned &)n = threadIdx.x;
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// Whatever the cast.
// CHECK: void reinterpreted({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void reinterpreted(float *o, int n) {
  reinterpret_cast<float &>(n) = o[threadIdx.x];
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// Rvalue references are references.
// CHECK: void moved({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void moved(float *o, int n) {
  auto &&r = static_cast<int &&>(n);
  r = threadIdx.x;
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// A base class is part of the object.
// CHECK: void base({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void base(float *o, int n, object s) {
  static_cast<base_object &>(s).n = threadIdx.x;
  if (s.n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// A name is passed on.
// CHECK: void argument({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void argument(float *o, int n) {
  set((int &)n);
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// Either of two.
// CHECK: void choice({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void choice(float *o, int n) {
  int m = 0;
  (o[0] > 2 ? n : m) = threadIdx.x;
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// Which one depends on the lane.
// CHECK: void lane_choice({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void lane_choice(float *o, int n) {
  int m = 0;
  (threadIdx.x > 2 ? n : m) = 5;
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// A reference to either.
// CHECK: void bound_choice({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void bound_choice(float *o, int n) {
  int m = 0;
  int &r = o[0] > 2 ? n : m;
  r = threadIdx.x;
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// An assignment names what it assigns to.
// CHECK: void assigned({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void assigned(float *o, int n) {
  (n = 3) += threadIdx.x;
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// So does an increment.
// CHECK: void incremented({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void incremented(float *o, int n) {
  ++n += threadIdx.x;
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// Also to take its address.
// CHECK: void address({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void address(float *o, int n) {
  int *p = &++n;
  *p = threadIdx.x;
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// Or to bind it.
// CHECK: void bound_assignment({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void bound_assignment(float *o, int n) {
  int &r = (n = 3);
  r = threadIdx.x;
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// The last of several.
// CHECK: void comma({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void comma(float *o, int n) {
  (o[0] = 1, n) = threadIdx.x;
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// The address of another name.
// CHECK: void cast_address({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void cast_address(float *o, int n) {
  int *p = &(int &)n;
  *p = threadIdx.x;
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// A pointer to a member.
// CHECK: void pointer_to_member({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void pointer_to_member(float *o, int n, object s) {
  s.*(&object::n) = threadIdx.x;
  if (s.n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// Results of inline assembly.
// CHECK: void asm_output({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void asm_output(float *o, int n) {
  asm("mov.u32 %0, %%laneid;" : "=r"((unsigned &)n));
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// The same value, for elements that differ.
// CHECK: void element({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void element(float *o, int n, object s) {
  s.x[threadIdx.x % 2] = 5;
  if (s.x[0])
    return;
  // @phase a
  o[0] = 1;
}

// An array is a pointer to it.
// CHECK: void decayed({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void decayed(float *o, int n, object s) {
  *s.x = threadIdx.x;
  if (s.x[0])
    return;
  // @phase a
  o[0] = 1;
}

// Names for its members.
// CHECK: void bindings({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void bindings(float *o, int n, plain s) {
  auto &[m, x] = s;
  m = threadIdx.x;
  if (s.m)
    return;
  // @phase a
  o[0] = 1;
}

// The right-hand side is for some lanes.
// CHECK: void elvis({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void elvis(float *o, int n) {
  threadIdx.x ?: (n = 5);
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// Members are initialized with references.
// CHECK: void initializer({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void initializer(float *o, int n) {
  holder h(n);
  h.value = threadIdx.x;
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// Captures with an initializer.
// CHECK: void capture_reference({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void capture_reference(float *o, int n) {
  auto f = [&r = n] { r = threadIdx.x; };
  f();
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// Likewise by address.
// CHECK: void capture_address({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void capture_address(float *o, int n) {
  auto f = [p = &n] { *p = threadIdx.x; };
  f();
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// A constructor may change its argument.
// CHECK: void constructor({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void constructor(float *o, int n) {
  setter{n};
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// Builtins take addresses.
// CHECK: void atomic({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void atomic(float *o, int n) {
  __atomic_store_n(&n, threadIdx.x, 0);
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// A member that is a reference names memory.
// CHECK: void reference_member({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void reference_member(float *o, int n, holder h) {
  if (h.value)
    return;
  // @phase a
  o[0] = 1;
}

// A property is a function, but for those of CUDA.
// CHECK: void property({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void property(float *o, int n, property_object p) {
  if (p.lane)
    return;
  // @phase a
  o[0] = 1;
}

// A name like those of CUDA.
// CHECK: void shadowed({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void shadowed(float *o, int n) {
  if (mine::blockIdx.x)
    return;
  // @phase a
  o[0] = 1;
}

// Volatile variables change.
// CHECK: void not_constant({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void not_constant(float *o, int n) {
  const volatile int m = n;
  if (m)
    return;
  // @phase a
  o[0] = 1;
}
