// Flow that may differ between the lanes of a warp: each kernel takes the recorder for it, and a note
// says what was found. The analysis errs on this side only.
// RUN: %kinstr %s -arch=sm_90 -o %t.cu 2>&1 | FileCheck %s --implicit-check-not=remark: --implicit-check-not=warning:
// RUN: FileCheck %s --check-prefix=OUT < %t.cu

__device__ void set(int *);
__device__ void set_reference(int &);
__device__ int get(int);
struct params { int n; __device__ void set(); };
struct keeper { int *at; __device__ keeper(int &n) : at(&n) {} __device__ void set(); };
struct holder { int &value; };
struct thing { int x[4]; __device__ void load(int); __device__ operator bool(); };

// A mark under a condition on the lane.
// CHECK: :[[#@LINE+3]]:17: remark: 'lane_index' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+3]]:7: note: 'threadIdx.x > n' may differ between the lanes of a warp
// OUT: lane_index(int *p, int n) { KINSTR_KERNEL(0, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void lane_index(int *p, int n) {
  if (threadIdx.x > n) {
    // @phase a
    p[0] = 1;
  }
}

// Memory is not followed: a value read from it may be any.
// CHECK: :[[#@LINE+3]]:17: remark: 'loaded' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+3]]:7: note: 'p[n]' may differ between the lanes of a warp
// OUT: loaded(int *p, int n) { KINSTR_KERNEL(1, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void loaded(int *p, int n) {
  if (p[n]) {
    // @phase a
    p[0] = 1;
  }
}

// An exit under a condition on the lane.
// CHECK: :[[#@LINE+3]]:17: remark: 'lane_exit' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+3]]:7: note: lanes of a warp may return one by one: 'threadIdx.x == 3' may differ between them
// OUT: lane_exit(int *p, int n) { KINSTR_KERNEL(2, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void lane_exit(int *p, int n) {
  if (threadIdx.x == 3)
    return;
  // @phase a
  p[0] = 1;
}

// An exit in a loop whose length depends on the lane.
// CHECK: :[[#@LINE+3]]:17: remark: 'nested_exit' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+3]]:29: note: lanes of a warp may return one by one: 'i < n' may differ between them
// OUT: nested_exit(int *p, int n) { KINSTR_KERNEL(3, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void nested_exit(int *p, int n) {
  for (int i = threadIdx.x; i < n; ++i)
    if (n == 3)
      return;
  // @phase a
  p[0] = 1;
}

// A loop whose length depends on the lane.
// CHECK: :[[#@LINE+3]]:17: remark: 'lane_trips' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+3]]:29: note: 'i < n' may differ between the lanes of a warp
// OUT: lane_trips(int *p, int n) { KINSTR_KERNEL(4, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void lane_trips(int *p, int n) {
  for (int i = threadIdx.x; i < n; i += 32) {
    // @phase a
    p[i] = 1;
  }
}

// Lanes that break are missing in the rest of the loop.
// CHECK: :[[#@LINE+3]]:17: remark: 'early_break' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+4]]:9: note: 'p[i] == 0' may differ between the lanes of a warp
// OUT: early_break(int *p, int n) { KINSTR_KERNEL(5, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void early_break(int *p, int n) {
  for (int i = 0; i < n; ++i) {
    if (p[i] == 0)
      break;
    // @phase a
    p[i] = 1;
  }
}

// Likewise 'continue'.
// CHECK: :[[#@LINE+3]]:17: remark: 'early_continue' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+4]]:9: note: 'threadIdx.x == 1' may differ between the lanes of a warp
// OUT: early_continue(int *p, int n) { KINSTR_KERNEL(6, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void early_continue(int *p, int n) {
  do {
    if (threadIdx.x == 1)
      continue;
    // @phase a
    p[n] = 1;
  } while (--n);
}

// Likewise a 'break' out of a switch.
// CHECK: :[[#@LINE+3]]:17: remark: 'switch_break' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+5]]:9: note: 'threadIdx.x == 1' may differ between the lanes of a warp
// OUT: switch_break(int *p, int n) { KINSTR_KERNEL(7, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void switch_break(int *p, int n) {
  switch (n) {
  case 1:
    if (threadIdx.x == 1)
      break;
    // @phase a
    p[n] = 1;
  }
}

// A switch on the lane.
// CHECK: :[[#@LINE+3]]:17: remark: 'lane_switch' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+3]]:11: note: 'threadIdx.x' may differ between the lanes of a warp
// OUT: lane_switch(int *p, int n) { KINSTR_KERNEL(8, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void lane_switch(int *p, int n) {
  switch (threadIdx.x) {
  case 1:
    // @phase a
    p[n] = 1;
  }
}

// Through variables.
// CHECK: :[[#@LINE+3]]:17: remark: 'derived' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+5]]:7: note: 'odd' may differ between the lanes of a warp
// OUT: derived(int *p, int n) { KINSTR_KERNEL(9, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void derived(int *p, int n) {
  int lane = threadIdx.x % 32;
  int odd = lane & 1;
  if (odd) {
    // @phase a
    p[n] = 1;
  }
}

// Assigned further down in a loop.
// CHECK: :[[#@LINE+3]]:17: remark: 'assigned_later' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+5]]:9: note: 'flag' may differ between the lanes of a warp
// OUT: assigned_later(int *p, int n) { KINSTR_KERNEL(10, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void assigned_later(int *p, int n) {
  int flag = 0;
  while (--n > 0) {
    if (flag) {
      // @phase a
      p[n] = 1;
    }
    flag = threadIdx.x;
  }
}

// Changed by some lanes only: the amount does not matter.
// CHECK: :[[#@LINE+3]]:17: remark: 'counted' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+6]]:7: note: 'count' may differ between the lanes of a warp
// OUT: counted(int *p, int n) { KINSTR_KERNEL(11, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void counted(int *p, int n) {
  int count = 0;
  if (threadIdx.x < 7)
    ++count;
  if (count) {
    // @phase a
    p[n] = 1;
  }
}

// Likewise in an operand that only some lanes come to.
// CHECK: :[[#@LINE+3]]:17: remark: 'short_circuit' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+5]]:7: note: 'm' may differ between the lanes of a warp
// OUT: short_circuit(int *p, int n) { KINSTR_KERNEL(12, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void short_circuit(int *p, int n) {
  int m = 0;
  (void)(threadIdx.x < 7 && (m = n));
  if (m) {
    // @phase a
    p[n] = 1;
  }
}

// Whoever has the address may store anything.
// CHECK: :[[#@LINE+3]]:17: remark: 'by_address' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+4]]:7: note: 'n' may differ between the lanes of a warp
// OUT: by_address(int *p, int n) { KINSTR_KERNEL(13, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void by_address(int *p, int n) {
  set(&n);
  if (n) {
    // @phase a
    p[0] = 1;
  }
}

// Or a reference ...
// CHECK: :[[#@LINE+3]]:17: remark: 'by_reference' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+4]]:7: note: 'n' may differ between the lanes of a warp
// OUT: by_reference(int *p, int n) { KINSTR_KERNEL(14, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void by_reference(int *p, int n) {
  set_reference(n);
  if (n) {
    // @phase a
    p[0] = 1;
  }
}

// ... in a constructor ...
// CHECK: :[[#@LINE+3]]:17: remark: 'kept_reference' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+5]]:7: note: 'n' may differ between the lanes of a warp
// OUT: kept_reference(int *p, int n) { KINSTR_KERNEL(15, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void kept_reference(int *p, int n) {
  keeper k(n);
  k.set();
  if (n) {
    // @phase a
    p[0] = 1;
  }
}

// ... in a member ...
// CHECK: :[[#@LINE+3]]:17: remark: 'bound_reference' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+5]]:7: note: 'n' may differ between the lanes of a warp
// OUT: bound_reference(int *p, int n) { KINSTR_KERNEL(16, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void bound_reference(int *p, int n) {
  holder h{n};
  h.value = threadIdx.x;
  if (n) {
    // @phase a
    p[0] = 1;
  }
}

// ... in a capture.
// CHECK: :[[#@LINE+3]]:17: remark: 'captured' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+5]]:7: note: 'n' may differ between the lanes of a warp
// OUT: captured(int *p, int n) { KINSTR_KERNEL(17, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void captured(int *p, int n) {
  auto f = [&] { n = threadIdx.x; };
  f();
  if (n) {
    // @phase a
    p[0] = 1;
  }
}

// A member that is assigned makes the object vary.
// CHECK: :[[#@LINE+3]]:17: remark: 'member' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+4]]:7: note: 's.n' may differ between the lanes of a warp
// OUT: member(params s, int *p) { KINSTR_KERNEL(18, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void member(params s, int *p) {
  s.n = threadIdx.x;
  if (s.n) {
    // @phase a
    p[0] = 1;
  }
}

// So does a member function.
// CHECK: :[[#@LINE+3]]:17: remark: 'method' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+4]]:7: note: 's.n' may differ between the lanes of a warp
// OUT: method(params s, int *p) { KINSTR_KERNEL(19, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void method(params s, int *p) {
  s.set();
  if (s.n) {
    // @phase a
    p[0] = 1;
  }
}

// And inline assembly.
// CHECK: :[[#@LINE+3]]:17: remark: 'inline_asm' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+4]]:7: note: 'n' may differ between the lanes of a warp
// OUT: inline_asm(int *p, int n) { KINSTR_KERNEL(20, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void inline_asm(int *p, int n) {
  asm("mov.u32 %0, %%laneid;" : "=r"(n));
  if (n) {
    // @phase a
    p[0] = 1;
  }
}

// Shared memory changes between the reads of two lanes.
// CHECK: :[[#@LINE+3]]:17: remark: 'shared_memory' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+5]]:7: note: 'flag' may differ between the lanes of a warp
// OUT: shared_memory(int *p, int n) { KINSTR_KERNEL(21, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void shared_memory(int *p, int n) {
  __shared__ int flag;
  flag = 1;
  if (flag) {
    // @phase a
    p[0] = 1;
  }
}

// Functions are not looked into.
// CHECK: :[[#@LINE+3]]:17: remark: 'unknown_call' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+3]]:7: note: 'get(n)' may differ between the lanes of a warp
// OUT: unknown_call(int *p, int n) { KINSTR_KERNEL(22, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void unknown_call(int *p, int n) {
  if (get(n)) {
    // @phase a
    p[0] = 1;
  }
}

// Lanes that jump leave the others behind.
// CHECK: :[[#@LINE+3]]:17: remark: 'jump' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+3]]:7: note: lanes of a warp may jump one by one: 'threadIdx.x > n' may differ between them
// OUT: jump(int *p, int n) { KINSTR_KERNEL(23, shared, {{slots|stream}}, divergent, 1, 1024)
__global__ void jump(int *p, int n) {
  if (threadIdx.x > n)
    goto end;
  // @phase a
  p[0] = 1;
end:;
}

// In templates the same holds for what is not known yet.
// CHECK: :[[#@LINE+3]]:39: remark: 'dependent' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+5]]:7: note: 'object' may differ between the lanes of a warp
// OUT: dependent(T n, int *p) { KINSTR_KERNEL(24, shared, {{slots|stream}}, divergent, 1, 1024)
template <typename T> __global__ void dependent(T n, int *p) {
  T object;
  object.load(threadIdx.x);
  if (object) {
    // @phase a
    p[0] = 1;
  }
}

// And for members and elements.
// CHECK: :[[#@LINE+3]]:39: remark: 'dependent_member' takes the recorder for divergent warps, which costs more
// CHECK: :[[#@LINE+4]]:7: note: 'object' may differ between the lanes of a warp
// OUT: dependent_member(T object, int *p) { KINSTR_KERNEL(25, shared, {{slots|stream}}, divergent, 1, 1024)
template <typename T> __global__ void dependent_member(T object, int *p) {
  object.x[2] = threadIdx.x;
  if (object) {
    // @phase a
    p[0] = 1;
  }
}

// The launches, so that nothing else is remarked upon.
int main() {
  lane_index<<<1, 32>>>(nullptr, 1);
  loaded<<<1, 32>>>(nullptr, 1);
  lane_exit<<<1, 32>>>(nullptr, 1);
  nested_exit<<<1, 32>>>(nullptr, 1);
  lane_trips<<<1, 32>>>(nullptr, 1);
  early_break<<<1, 32>>>(nullptr, 1);
  early_continue<<<1, 32>>>(nullptr, 1);
  switch_break<<<1, 32>>>(nullptr, 1);
  lane_switch<<<1, 32>>>(nullptr, 1);
  derived<<<1, 32>>>(nullptr, 1);
  assigned_later<<<1, 32>>>(nullptr, 1);
  counted<<<1, 32>>>(nullptr, 1);
  short_circuit<<<1, 32>>>(nullptr, 1);
  by_address<<<1, 32>>>(nullptr, 1);
  by_reference<<<1, 32>>>(nullptr, 1);
  kept_reference<<<1, 32>>>(nullptr, 1);
  bound_reference<<<1, 32>>>(nullptr, 1);
  captured<<<1, 32>>>(nullptr, 1);
  member<<<1, 32>>>({}, nullptr);
  method<<<1, 32>>>({}, nullptr);
  inline_asm<<<1, 32>>>(nullptr, 1);
  shared_memory<<<1, 32>>>(nullptr, 1);
  unknown_call<<<1, 32>>>(nullptr, 1);
  jump<<<1, 32>>>(nullptr, 1);
  dependent<thing><<<1, 32>>>({}, nullptr);
  dependent_member<thing><<<1, 32>>>({}, nullptr);
}
