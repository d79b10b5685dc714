// Which comments are annotations: line and block comments that start with a directive.
// RUN: %kinstr %s -arch=sm_90 --no-remarks | FileCheck --match-full-lines %s

__global__ void kernel(int *p)
// CHECK: { KINSTR_KERNEL(0, shared, slots, uniform, 6, 1024)
{
  // CHECK: KINSTR_MARK(0) // @phase line
  // @phase line
  p[0] = 1;
  // CHECK: KINSTR_MARK(1) //@phase no_space
  //@phase no_space
  p[1] = 1;
  // CHECK: KINSTR_MARK(2) /* @phase block */
  /* @phase block */
  p[2] = 1;
  // A block comment may have its directive on a later line.
  // CHECK: KINSTR_MARK(3) /*
  /*
     @phase
       several_lines
  */
  p[3] = 1;
  // CHECK: KINSTR_MARK(4) // @mark instant
  // @mark instant
  // CHECK: KINSTR_MARK(5) // @end
  // @end

  // Documentation comments are not kinstr's:
  /// @phase doc
  //! @phase doc
  /** @phase doc */
  /*! @phase doc */
  // nor is a directive further on in a comment, as in @phase prose,
  // nor are the words of documentation tools:
  // @todo measure this
  // @note @phase
  // nor what has no word at all:
  // @@ -1,3 +1,4 @@
  p[4] = 1;
}

int main() { kernel<<<1, 32>>>(nullptr); }
