// A kernel's body that is in the program several times: as a function of its recorder, with --twin and where
// events wait in registers. All that a kernel's body may hold stays legal in it.
// RUN: %kinstr %s -arch=sm_90 --no-remarks --twin --buffer=shared | FileCheck %s --match-full-lines --check-prefix=TWIN
// RUN: %kinstr %s -arch=sm_90 --twin --buffer=shared 2>&1 >%t.cu | FileCheck %s --check-prefix=REMARK
// RUN: %kinstr %s -arch=sm_90 --no-remarks --buffer=lanes | FileCheck %s --match-full-lines --check-prefix=LANES
// RUN: %kinstr %s -arch=sm_90 --no-remarks --buffer=shared | FileCheck %s --match-full-lines --check-prefix=ONCE

template <typename... T>
__device__ int sum(T... v) {
  int s = 0;
  for (int one : {static_cast<int>(v)...})
    s += one;
  return s;
}

struct box {
  int value[4];
};

// TWIN: __global__ void everything(int *out, const __grid_constant__ box b, int n, T... more) { KINSTR_BODY(0, shared1024, slots, uniform, 2, 1024)
// LANES: __global__ void everything(int *out, const __grid_constant__ box b, int n, T... more) { KINSTR_BODY(0, lanes, slots, uniform, 2, 1024)
template <typename... T>
__global__ void everything(int *out, const __grid_constant__ box b, int n, T... more) {
  __shared__ int kept[32];
  extern __shared__ int dynamic[];
  static_assert(sizeof(kept) == 128, "");
  using mine = int;
  // @phase first
  const mine v = n + sum(more...) + b.value[n & 3];
  const auto twice = [=](int x) { return x * 2 + v; };
  const auto into = [&](int x) { out[0] += x; };
  if (n < 0)
    return;
  // @phase second
  kept[0] = twice(v);
  dynamic[0] = n;
  const int *address = &b.value[0];
  into(address[1] + kept[0] + dynamic[0]);
  // TWIN: KINSTR_RUN_TWIN }
  // LANES: KINSTR_RUN }
}

// Braces in their other spelling.
// ONCE: __global__ void spelled(int *p) <% KINSTR_KERNEL(1, shared, slots, uniform, 1, 1024)
// ONCE: %>
// TWIN: __global__ void spelled(int *p) <% KINSTR_BODY(1, shared, slots, uniform, 1, 1024)
__global__ void spelled(int *p) <%
  // @phase only
  p[0] = 1;
  // TWIN: KINSTR_RUN_TWIN %>
%>

// A function that stands in for its kernel may return something: its body stays in its place.
// TWIN: __device__ int stand_in(int *p) { KINSTR_KERNEL(2, shared, slots, uniform, 1, 1024)
// LANES: __device__ int stand_in(int *p) { KINSTR_KERNEL(2, lanes, slots, uniform, 1, 1024)
// @kernel stand_in
__device__ int stand_in(int *p) {
  // @phase only
  p[0] = 1;
  return 1;
  // TWIN: }
}
__global__ void outer(int *p) { p[1] = stand_in(p); }

// Lanes that part share no register: the recorder for that is one.
// TWIN: __global__ void parted(int *p) { KINSTR_BODY(3, shared, slots, divergent, 1, 1024)
// LANES: __global__ void parted(int *p) { KINSTR_KERNEL(3, lanes, slots, divergent, 1, 1024)
__global__ void parted(int *p) {
  if (threadIdx.x == 1) {
    // @phase only
    p[0] = 1;
  }
}

// What asm defines outside of braces may not be there twice.
// TWIN: __global__ void labelled(int *p) { KINSTR_KERNEL(4, shared, slots, uniform, 1, 1024)
// LANES: __global__ void labelled(int *p) { KINSTR_KERNEL(4, lanes, slots, uniform, 1, 1024)
// REMARK: :[[#@LINE+1]]:17: remark: 'labelled' gets no twin
__global__ void labelled(int *p) {
  // @phase only
  // REMARK: :[[#@LINE+1]]:3: note: asm defines a label or a variable outside of braces
  asm volatile(".reg .pred q;\n\tsetp.ne.u32 q, %0, 0;\n\t@q bra OUT;\n\tOUT:" ::"r"(*p));
}
// Nor may what a function that it calls defines.
__device__ void calls_label(int *p) { asm volatile(".reg .b32 other;\n\tmov.u32 other, %0;" ::"r"(*p)); }
// LANES: __global__ void calling(int *p) { KINSTR_KERNEL(5, lanes, slots, uniform, 1, 1024)
__global__ void calling(int *p) {
  // @phase only
  calls_label(p);
}
// TWIN: __global__ void braced(int *p) { KINSTR_BODY(6, shared, slots, uniform, 1, 1024)
__global__ void braced(int *p) {
  // @phase only
  asm volatile("{ .reg .pred q;\n\tsetp.ne.u32 q, %0, 0;\n\t@q bra OUT;\n\tOUT: }" ::"r"(*p));
  asm volatile("mov.b64 {%0, %1}, %2;" : "=r"(p[0]), "=r"(p[1]) : "l"(1ll));
}

int main() {
  everything<<<1, 32, 64>>>((int *)nullptr, box(), 1, 2, 3.0f);
  spelled<<<1, 32>>>(nullptr);
  outer<<<1, 32>>>(nullptr);
  parted<<<1, 32>>>(nullptr);
  labelled<<<1, 32>>>(nullptr);
  calling<<<1, 32>>>(nullptr);
  braced<<<1, 32>>>(nullptr);
}
