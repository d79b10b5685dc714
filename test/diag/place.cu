// Annotations where no statement can stand.
// RUN: rm -rf %t && mkdir %t
// RUN: not %kinstr %s -arch=sm_90 -o %t/out.cu 2>&1 | FileCheck %s --implicit-check-not=error: --implicit-check-not=warning:
// RUN: ls -A %t | count 0

#define BLOCK(...) { __VA_ARGS__ }
#define UNROLL _Pragma("unroll")
#define EACH(i) for (int i = 0; i < 4; ++i)

__global__ void expressions(int *p, int n) {
  // Where an expression or a declaration is in the way, a note says where the comment can go.
  // CHECK: place.cu:[[#@LINE+4]]:18: error: an annotation cannot stand in the middle of a statement
  // CHECK-NEXT: int x = 1 + /* @phase a */ 2;
  // CHECK-NEXT: {{^}}              ^
  // CHECK-NEXT: place.cu:[[#@LINE+1]]:31: note: it can stand behind this
  int x = 1 + /* @phase a */ 2;
  // CHECK: :[[#@LINE+2]]:23: error: an annotation cannot stand in the middle of a statement
  int list[] = {1,
                2, // @phase a
                3};
  // CHECK: :[[#@LINE+1]]:19: error: an annotation cannot stand in the middle of a statement
  if (x > 1 && /* @phase a */ n > 1)
    p[0] = list[0];
  // CHECK: :[[#@LINE+1]]:39: error: an annotation cannot stand in the middle of a statement
  for (int i = 0; i < 4; /* two */ /* @phase a */ ++i)
    p[i] = 1;
  // CHECK: :[[#@LINE+1]]:13: error: an annotation cannot stand in the middle of a statement
  return /* @phase a */;
}

__global__ void branches(int *p, int n) {
  // CHECK: :[[#@LINE+2]]:18: error: an annotation cannot stand between a statement and its 'else'
  if (n)
    p[0] = 1; // @phase a
  else
    p[1] = 1;
  // CHECK: :[[#@LINE+3]]:8: error: an annotation cannot stand between a statement and its 'else'
  if (n) {
    p[0] = 1;
  } // @phase a
  else {
    p[1] = 1;
  }
  // CHECK: :[[#@LINE+1]]:19: error: code before the first 'case' of a switch is never reached
  switch (n) { // @phase a
  case 1:
    break;
  }
  // CHECK: :[[#@LINE+1]]:17: error: code before the first 'case' of a switch is never reached
  switch (n) // @phase a
  {
  case 1:
    break;
  }
  // CHECK: :[[#@LINE+1]]:17: error: code before the first 'case' of a switch is never reached
  switch (n) // @phase a
  case 1:
    p[0] = 1;
  // CHECK: :[[#@LINE+1]]:13: error: an annotation cannot stand before a block that comes out of a macro
  if (n) // @phase a
    BLOCK(p[0] = 1;)
}

__global__ void pragmas(int *p, int n) {
  // CHECK: :[[#@LINE+2]]:8: error: an annotation cannot stand between a header and a body without braces that a directive or an attribute interrupts; add the braces
  if (n)
    // @phase a
#pragma unroll
    EACH(i) p[i] = 1;
  // CHECK: :[[#@LINE+3]]:8: error: an annotation cannot stand between a header and a body without braces that a directive or an attribute interrupts; add the braces
  if (n)
#pragma unroll
    // @phase a
    for (int i = 0; i < 4; ++i)
      p[i] = 1;
  // CHECK: :[[#@LINE+2]]:8: error: an annotation cannot stand between a header and a body without braces that a directive or an attribute interrupts; add the braces
  if (n)
    // @phase a
#if 1
    p[0] = 1;
#endif
  // CHECK: :[[#@LINE+2]]:8: error: an annotation cannot stand between a header and a body without braces that a directive or an attribute interrupts; add the braces
  if (n) [[likely]]
    // @phase a
    p[0] = 1;
  // CHECK: :[[#@LINE+1]]:17: error: an annotation cannot stand in the middle of a statement
  [[likely]] // @phase a
  p[0] = 1;
  // CHECK: :[[#@LINE+1]]:13: error: a mark cannot stand between a pragma and its loop; move the comment above the pragma
  UNROLL // @phase a
  for (int i = 0; i < 4; ++i)
    p[i] = 1;
  // CHECK: :[[#@LINE+4]]:6: error: a mark cannot stand between a pragma and its loop; move the comment above the pragma
#pragma unroll
#if 1
#endif
  // @phase a
  for (int i = 0; i < 4; ++i)
    p[i] = 1;
}

int main() {
  expressions<<<1, 32>>>(nullptr, 1);
  branches<<<1, 32>>>(nullptr, 1);
  pragmas<<<1, 32>>>(nullptr, 1);
}
