// A mark may follow every kind of statement, on its line or on the next one.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s

__global__ __launch_bounds__(128) void kinds(int *p, int n) {
  // CHECK: int i = 0, j = 1; KINSTR_MARK(0) // @phase declaration
  int i = 0, j = 1; // @phase declaration
  // CHECK: struct Local { int a; }; KINSTR_MARK(1) // @phase type
  struct Local { int a; }; // @phase type
  // CHECK: static_assert(sizeof(Local) == 4); KINSTR_MARK(2) // @phase static_assert
  static_assert(sizeof(Local) == 4); // @phase static_assert
  // CHECK: asm volatile("" ::: "memory"); KINSTR_MARK(3) // @phase asm
  asm volatile("" ::: "memory"); // @phase asm
  // CHECK: ; KINSTR_MARK(4) // @phase empty
  ; // @phase empty
  // CHECK: ;; KINSTR_MARK(5) /* @phase between_empty_ones */ ;
  ;; /* @phase between_empty_ones */ ;
  // CHECK: {} KINSTR_MARK(6) // @phase block
  {} // @phase block
  // CHECK: auto square = [](int x) { return x * x; }; KINSTR_MARK(7) // @phase lambda
  auto square = [](int x) { return x * x; }; // @phase lambda
  // CHECK: p[i] = square(j); KINSTR_MARK(8) // @phase call
  p[i] = square(j); // @phase call
  // CHECK: p[j] = n > 1 ? 2 : \
  // CHECK: 3; KINSTR_MARK(9) // @phase continued_line
  p[j] = n > 1 ? 2 : \
    3; // @phase continued_line
  return; // @phase unreachable
}

// CHECK: __global__ void one_line(int *p) { KINSTR_KERNEL(1, shared, slots, uniform, 3, 1024) KINSTR_MARK(0) /* @phase a */ p[0] = 1; KINSTR_MARK(1) /* @phase b */ p[1] = 1; KINSTR_MARK(2) /* @phase c */ }
__global__ void one_line(int *p) { /* @phase a */ p[0] = 1; /* @phase b */ p[1] = 1; /* @phase c */ }

// CHECK: __global__ void empty(int *) { KINSTR_KERNEL(2, shared, slots, uniform, 1, 1024) KINSTR_MARK(0) /* @phase only */ }
__global__ void empty(int *) { /* @phase only */ }

// CHECK: __global__ void digraphs(int *p) <% KINSTR_KERNEL(3, shared, slots, uniform, 2, 1024) KINSTR_MARK(0) // @phase a
// CHECK: <% KINSTR_MARK(1)
__global__ void digraphs(int *p) <% // @phase a
  if (p != nullptr) // @phase b
  <%
    p<:0:> = 1;
  %>
%>

// CHECK: if (n > 1) {{\[\[}}likely]] { KINSTR_MARK(0) // @phase a
// CHECK: if (n > 1) {{\[\[}}likely]] // @phase b
// CHECK-NEXT: { KINSTR_MARK(1)
__global__ void attributes(int *p, int n) {
  if (n > 1) [[likely]] { // @phase a
    p[0] = 1;
  }
  if (n > 1) [[likely]] // @phase b
  {
    p[1] = 1;
  }
}

int main() {
  kinds<<<1, 32>>>(nullptr, 1);
  one_line<<<1, 32>>>(nullptr);
  empty<<<1, 32>>>(nullptr);
  digraphs<<<1, 32>>>(nullptr);
  attributes<<<1, 32>>>(nullptr, 1);
}
