// A site in a loop is passed many times: such a kernel records a stream of events, not one slot a site.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s

// CHECK: __global__ void around(int *p, int n) { KINSTR_KERNEL(0, shared, slots, uniform, 2, 1024)
__global__ void around(int *p, int n) {
  // @phase loop
  for (int i = 0; i < n; ++i)
    p[i] = i;
  // @phase after
  p[n] = 1;
}

// CHECK: __global__ void inside(int *p, int n) { KINSTR_KERNEL(1, shared, stream, uniform, 2, 1024)
__global__ void inside(int *p, int n) {
  for (int i = 0; i < n; ++i) {
    // CHECK: KINSTR_MARK(0) // @phase load
    // @phase load
    p[i] = i;
    // CHECK: KINSTR_MARK(1) // @phase store
    // @phase store
    p[i + 1] = i;
  }
}

// CHECK: __global__ void loop_kinds(int *p, int n) { KINSTR_KERNEL(2, shared, stream, uniform, 5, 1024)
__global__ void loop_kinds(int *p, int n) {
  // CHECK: while (n > 4) { KINSTR_MARK(0) // @phase a
  while (n > 4) { // @phase a
    --n;
  }
  // CHECK: do { KINSTR_MARK(1) // @phase b
  // CHECK: } while (n > 0); KINSTR_MARK(2) // @phase c
  do { // @phase b
    --n;
  } while (n > 0); // @phase c
  // CHECK: do KINSTR_BEGIN KINSTR_MARK(3) // @phase d
  // CHECK: ++n; KINSTR_END
  do // @phase d
    ++n;
  while (n < 3);
  // CHECK: for (;;) { KINSTR_MARK(4) // @phase e
  for (;;) { // @phase e
    if (n++ > 5)
      break;
  }
}

// The range of a range-based loop is not followed: its elements may differ between lanes.
// CHECK: __global__ void range(int *p) { KINSTR_KERNEL(3, shared, stream, uniform, 1, 1024)
__global__ void range(int *p) {
  int list[2] = {1, 2};
  // CHECK: for (int x : list) KINSTR_BEGIN KINSTR_MARK(0) // @phase a
  // CHECK: p[x] = x; KINSTR_END
  for (int x : list) // @phase a
    p[x] = x;
}

// So does 'goto', which makes loops of its own.
// CHECK: __global__ void jump(int *p, int n) { KINSTR_KERNEL(4, shared, stream, divergent, 1, 1024)
__global__ void jump(int *p, int n) {
again:
  // CHECK: KINSTR_MARK(0) // @phase a
  // @phase a
  p[n] = 1;
  if (--n > 0)
    goto again;
  if (threadIdx.x == 3)
    return;
}

// And so does a kernel with more sites than a slots record has room for (63).
// CHECK: __global__ void many(int *p) { KINSTR_KERNEL(5, shared, stream, uniform, 64, 1024)
#define M(n) p[n] = n
__global__ void many(int *p) {
  /* @phase 1 */ M(1); /* @phase 2 */ M(2); /* @phase 3 */ M(3); /* @phase 4 */ M(4);
  /* @phase 1 */ M(1); /* @phase 2 */ M(2); /* @phase 3 */ M(3); /* @phase 4 */ M(4);
  /* @phase 1 */ M(1); /* @phase 2 */ M(2); /* @phase 3 */ M(3); /* @phase 4 */ M(4);
  /* @phase 1 */ M(1); /* @phase 2 */ M(2); /* @phase 3 */ M(3); /* @phase 4 */ M(4);
  /* @phase 1 */ M(1); /* @phase 2 */ M(2); /* @phase 3 */ M(3); /* @phase 4 */ M(4);
  /* @phase 1 */ M(1); /* @phase 2 */ M(2); /* @phase 3 */ M(3); /* @phase 4 */ M(4);
  /* @phase 1 */ M(1); /* @phase 2 */ M(2); /* @phase 3 */ M(3); /* @phase 4 */ M(4);
  /* @phase 1 */ M(1); /* @phase 2 */ M(2); /* @phase 3 */ M(3); /* @phase 4 */ M(4);
  /* @phase 1 */ M(1); /* @phase 2 */ M(2); /* @phase 3 */ M(3); /* @phase 4 */ M(4);
  /* @phase 1 */ M(1); /* @phase 2 */ M(2); /* @phase 3 */ M(3); /* @phase 4 */ M(4);
  /* @phase 1 */ M(1); /* @phase 2 */ M(2); /* @phase 3 */ M(3); /* @phase 4 */ M(4);
  /* @phase 1 */ M(1); /* @phase 2 */ M(2); /* @phase 3 */ M(3); /* @phase 4 */ M(4);
  /* @phase 1 */ M(1); /* @phase 2 */ M(2); /* @phase 3 */ M(3); /* @phase 4 */ M(4);
  /* @phase 1 */ M(1); /* @phase 2 */ M(2); /* @phase 3 */ M(3); /* @phase 4 */ M(4);
  /* @phase 1 */ M(1); /* @phase 2 */ M(2); /* @phase 3 */ M(3); /* @phase 4 */ M(4);
  /* @phase 1 */ M(1); /* @phase 2 */ M(2); /* @phase 3 */ M(3); /* @phase 4 */ M(4);
}

int main() {
  around<<<1, 32>>>(nullptr, 1);
  inside<<<1, 32>>>(nullptr, 1);
  loop_kinds<<<1, 32>>>(nullptr, 1);
  range<<<1, 32>>>(nullptr);
  jump<<<1, 32>>>(nullptr, 1);
  many<<<1, 32>>>(nullptr);
}
