// Variables that loops change in some lanes more often than in others.
// RUN: %kinstr %s -arch=sm_90 -std=c++20 -o %t.cu 2>/dev/null
// RUN: FileCheck %s < %t.cu

struct pair {
  int x[2];
  __device__ int *begin() { return x; }
  __device__ int *end() { return x + 2; }
};

// Lanes that left do not decrement.
// CHECK: void test_after_break({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void test_after_break(float *o, int n) {
  while (n-- > 0)
    if (o[threadIdx.x])
      break;
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// The test itself decides who is there.
// CHECK: void while_test({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void while_test(float *o, int n) {
  while (n-- > threadIdx.x) {
  }
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// Likewise after the body.
// CHECK: void do_test({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void do_test(float *o, int n) {
  do {
  } while (--n > threadIdx.x);
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// Likewise in a for.
// CHECK: void for_test({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void for_test(float *o, int n) {
  for (; ++n < threadIdx.x;) {
  }
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// The step is only for those that stay.
// CHECK: void for_step({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void for_step(float *o, int n) {
  for (; o[threadIdx.x]; ++n) {
  }
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// The variable of a loop is part of its test.
// CHECK: void while_variable({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void while_variable(float *o, int n) {
  while (int m = n--)
    if (m == threadIdx.x)
      break;
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// Likewise in a for.
// CHECK: void for_variable({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void for_variable(float *o, int n) {
  for (; int m = n--;)
    if (m == threadIdx.x)
      break;
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// A loop that runs once is one, too.
// CHECK: void body_once({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void body_once(float *o, int n) {
  do {
    if (threadIdx.x == 3)
      break;
    n = 0;
  } while (0);
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// 'continue' leaves the switch on its way.
// CHECK: void continue_in_switch({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void continue_in_switch(float *o, int n) {
  for (int i = 0; i < n; ++i)
    switch (n) {
    case 1:
      if (threadIdx.x == 3)
        continue;
      // @phase a
      o[0] = 1;
    }
}

// The first part of a range loop.
// CHECK: void range_init({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void range_init(float *o, int n) {
  for (n = threadIdx.x; int i : {0, 1})
    o[i] = 1;
  if (n > 3)
    return;
  // @phase a
  o[0] = 1;
}

// The elements of a range may be assigned.
// CHECK: void range_object({{.*}} KINSTR_KERNEL({{[0-9]+}}, shared, {{slots|stream}}, divergent,
__global__ void range_object(float *o, int n, pair s) {
  for (int &x : s)
    x = threadIdx.x;
  if (s.x[0])
    return;
  // @phase a
  o[0] = 1;
}
