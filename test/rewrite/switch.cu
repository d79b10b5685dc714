// Marks in switch statements and behind labels are statements of their own and declare nothing.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s

__global__ void cases(int *p, int n) {
  switch (n) {
  // CHECK: case 0: KINSTR_MARK(0) // @phase a
  case 0: // @phase a
    p[0] = 1;
    break;
  // CHECK: case 1: { KINSTR_MARK(1) // @phase b
  case 1: { // @phase b
    p[1] = 1;
  } break;
  // CHECK: case 2: case 3: KINSTR_MARK(2) // @phase c
  case 2: case 3: // @phase c
  // CHECK: case 4:
  // CHECK-NEXT: KINSTR_MARK(3) // @phase d
  case 4:
    // @phase d
    p[2] = 1;
    // CHECK: KINSTR_MARK(4) // @phase e
    // @phase e
    p[3] = 1;
    break;
  // CHECK: default: KINSTR_MARK(5) // @phase f
  default: // @phase f
    ;
  }
}

__global__ void labels(int *p, int n) {
  if (n)
    goto end;
  // CHECK: start: KINSTR_MARK(0) // @phase a
start: // @phase a
  p[0] = 1;
  if (n > 2)
    goto start;
  // CHECK: end: KINSTR_MARK(1) // @phase b
end: // @phase b
  ;
}

int main() {
  cases<<<1, 32>>>(nullptr, 1);
  labels<<<1, 32>>>(nullptr, 1);
}
