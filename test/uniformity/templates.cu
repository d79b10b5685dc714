// What is not known in a template: with instances and without.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2>/dev/null
// RUN: FileCheck %s < %t.cu
// RUN: %kinstr %s -arch=sm_90 -DINSTANCES -o %t.instances.cu 2>/dev/null
// RUN: FileCheck %s < %t.instances.cu

struct lane {
  __host__ __device__ lane() {}
  __device__ operator bool() const { return threadIdx.x > 3; }
  __device__ bool operator<(int x) const { return threadIdx.x < x; }
  __device__ void operator>>(int &x) const { x = threadIdx.x; }
};
template <typename T> struct keeper {
  int &at;
  __device__ keeper(int &n) : at(n) {}
  __device__ void set() { at = threadIdx.x; }
};
__device__ void set(lane, int &x);

// Captures of '[&]' are not known before.
// CHECK: void lambda({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
template <typename T> __global__ void lambda(float *o, int n) {
  auto f = [&] { n = threadIdx.x; };
  f();
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// Neither are those of a lambda that is a template itself.
// CHECK: void generic_lambda({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
template <typename T> __global__ void generic_lambda(float *o, int n) {
  auto f = [&](auto x) { n = x; };
  f(threadIdx.x);
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// A capture by reference among others.
// CHECK: void explicit_capture({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
template <typename T> __global__ void explicit_capture(float *o, int n) {
  auto f = [=, &n] { n = threadIdx.x; };
  f();
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// A conversion may be a function.
// CHECK: void condition({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
template <typename T> __global__ void condition(float *o, int n, T t) {
  if (t)
    return;
  // @phase a
  o[0] = 1;
}

// So may an operator.
// CHECK: void comparison({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
template <typename T> __global__ void comparison(float *o, int n, T t) {
  if (t < n)
    return;
  // @phase a
  o[0] = 1;
}

// Its operands may be references.
// CHECK: void shift({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
template <typename T> __global__ void shift(float *o, int n, T t) {
  t >> n;
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// So may a constructor.
// CHECK: void declared({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
template <typename T> __global__ void declared(float *o, int n, T t) {
  T u;
  if (u)
    return;
  // @phase a
  o[0] = 1;
}

// However it is called.
// CHECK: void value({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
template <typename T> __global__ void value(float *o, int n, T t) {
  T u = T();
  if (u)
    return;
  // @phase a
  o[0] = 1;
}

// With braces.
// CHECK: void list({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
template <typename T> __global__ void list(float *o, int n, T t) {
  T u{};
  if (u)
    return;
  // @phase a
  o[0] = 1;
}

// It may keep a reference.
// CHECK: void parentheses({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
template <typename T> __global__ void parentheses(float *o, int n, T t) {
  keeper<T> k(n);
  k.set();
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// Likewise in a temporary.
// CHECK: void temporary({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
template <typename T> __global__ void temporary(float *o, int n, T t) {
  auto k = keeper<T>(n);
  k.set();
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// A function may be any.
// CHECK: void call({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
template <typename T> __global__ void call(float *o, int n, T t) {
  set(t, n);
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

#ifdef INSTANCES
int main() {
  lambda<int><<<1, 32>>>(nullptr, 1);
  generic_lambda<int><<<1, 32>>>(nullptr, 1);
  explicit_capture<int><<<1, 32>>>(nullptr, 1);
  condition<lane><<<1, 32>>>(nullptr, 1, {});
  comparison<lane><<<1, 32>>>(nullptr, 1, {});
  shift<lane><<<1, 32>>>(nullptr, 1, {});
  declared<lane><<<1, 32>>>(nullptr, 1, {});
  value<lane><<<1, 32>>>(nullptr, 1, {});
  list<lane><<<1, 32>>>(nullptr, 1, {});
  parentheses<lane><<<1, 32>>>(nullptr, 1, {});
  temporary<lane><<<1, 32>>>(nullptr, 1, {});
  call<lane><<<1, 32>>>(nullptr, 1, {});
}
#endif
