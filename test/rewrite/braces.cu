// A mark never becomes the body of a header: it goes inside the braces, or gets braces of its own.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s
// RUN: %kinstr %s -arch=sm_90 --no-remarks -o %t.cu && %python %S/../tools/inserts_only.py %s %t.cu

// CHECK: __global__ void header_and_brace(int *p, int n) // here
// CHECK: /* and */ // here
// CHECK: { KINSTR_KERNEL(0, shared, stream, uniform, 4, 1024)
__global__ void header_and_brace(int *p, int n) // here
/* and */ // here
{
  // CHECK: if (n == 1) // @phase a
  // CHECK: { KINSTR_MARK(0)
  if (n == 1) // @phase a
  {
    p[0] = 1;
  }
  // CHECK: else // @phase b
  // CHECK: { KINSTR_MARK(1)
  else // @phase b
  {
    p[1] = 1;
  }
  // CHECK: { KINSTR_MARK(2)
  for (int i = 0; i < n; ++i)
    // words between
    // @phase c
    /* and behind */
  {
    p[i] = 1;
  }
  // CHECK: { KINSTR_MARK(3) // @phase d
  { // @phase d
    p[2] = 1;
  }
}

// CHECK: __global__ void no_braces(int *p, int n) { KINSTR_KERNEL(1, shared, stream, uniform, 9, 1024)
__global__ void no_braces(int *p, int n) {
  // CHECK: if (n == 1) KINSTR_BEGIN KINSTR_MARK(0) // @phase a
  // CHECK-NEXT: p[0] = 1; KINSTR_END
  // CHECK-NEXT: else KINSTR_BEGIN KINSTR_MARK(1) // @phase b
  // CHECK-NEXT: p[1] = 1; KINSTR_END
  if (n == 1) // @phase a
    p[0] = 1;
  else // @phase b
    p[1] = 1;
  // The body may be a statement with statements in it.
  // CHECK: for (int i = 0; i < n; ++i) KINSTR_BEGIN KINSTR_MARK(2) // @phase c
  // CHECK-NEXT: if (i) KINSTR_BEGIN KINSTR_MARK(3) // @phase d
  // CHECK-NEXT: p[i] = 1; KINSTR_END
  // CHECK-NEXT: else
  // CHECK-NEXT: while (--n) KINSTR_BEGIN KINSTR_MARK(4) // @phase e
  // CHECK-NEXT: p[i] = 2; KINSTR_END KINSTR_END
  for (int i = 0; i < n; ++i) // @phase c
    if (i) // @phase d
      p[i] = 1;
    else
      while (--n) // @phase e
        p[i] = 2;
  // An empty one, and one that leaves.
  // CHECK: while (--n > 0) KINSTR_BEGIN KINSTR_MARK(5) // @phase f
  // CHECK-NEXT: ; KINSTR_END
  while (--n > 0) // @phase f
    ;
  // CHECK: if (n == 9) KINSTR_BEGIN KINSTR_MARK(6) // @phase g
  // CHECK-NEXT: return; KINSTR_END
  if (n == 9) // @phase g
    return;
  // CHECK: if (n == 8) KINSTR_BEGIN KINSTR_MARK(7) /* @phase h */ p[2] = 1; KINSTR_END else KINSTR_BEGIN KINSTR_MARK(8) /* @phase i */ p[3] = 1; KINSTR_END
  if (n == 8) /* @phase h */ p[2] = 1; else /* @phase i */ p[3] = 1;
}

// The added braces do not change which 'if' an 'else' belongs to.
// CHECK: __global__ void dangling_else(int *p, int n) { KINSTR_KERNEL(2, shared, slots, uniform, 5, 1024)
__global__ void dangling_else(int *p, int n) {
  // CHECK: if (n > 1) KINSTR_BEGIN KINSTR_MARK(0) // @phase a
  // CHECK-NEXT: if (n > 2) KINSTR_BEGIN KINSTR_MARK(1) // @phase b
  // CHECK-NEXT: p[0] = 1; KINSTR_END
  // CHECK-NEXT: else
  // CHECK-NEXT: p[1] = 1; KINSTR_END
  if (n > 1) // @phase a
    if (n > 2) // @phase b
      p[0] = 1;
    else
      p[1] = 1;
  // CHECK: else if (n == 4) KINSTR_BEGIN KINSTR_MARK(2) // @phase c
  // CHECK: p[3] = 1; KINSTR_END
  // CHECK-NEXT: else KINSTR_BEGIN KINSTR_MARK(3) // @phase d
  // CHECK-NEXT: if (n == 5) KINSTR_BEGIN KINSTR_MARK(4) // @phase e
  // CHECK-NEXT: p[4] = 1; KINSTR_END KINSTR_END
  if (n == 3)
    p[2] = 1;
  else if (n == 4) // @phase c
    p[3] = 1;
  else // @phase d
    if (n == 5) // @phase e
      p[4] = 1;
}

int main() {
  header_and_brace<<<1, 32>>>(nullptr, 1);
  no_braces<<<1, 32>>>(nullptr, 1);
  dangling_else<<<1, 32>>>(nullptr, 1);
}
