// Where '@scope' cannot stand.
// RUN: rm -rf %t && mkdir %t
// RUN: bash -c '%kinstr %s -arch=sm_90 -o %t/out.cu 2> %t.err; test $? = 1'
// RUN: FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: < %t.err
// RUN: ls -A %t | count 0

#define BEGUN p[0] = 1; p[1]

__global__ void kernel(int *p, int n) {
  // CHECK: scopes.cu:[[#@LINE+1]]:6: error: what this declares would end with the scope; put braces around what the scope is to be
  // @scope declared
  int local = p[n];
  // CHECK: :[[#@LINE+1]]:6: error: what follows '@scope' comes out of a macro; put braces around what the scope is to be
  // @scope out_of_a_macro
  BEGUN = 2;
  // CHECK: :[[#@LINE+1]]:6: error: the program may jump into this scope past its begin
  // @scope labelled
  {
    p[1] = local;
  again:
    p[2] = 1;
  }
  if (n-- > 0)
    goto again;
  // CHECK: :[[#@LINE+1]]:6: error: a directive may take away one end of this scope; put it and its statement on one side of the '#if'
  // @scope split
#if 1
  p[3] = 3;
#endif
  switch (n) {
  case 1:
    p[4] = 4;
    // CHECK: :[[#@LINE+1]]:8: error: the program may jump into this scope past its begin
    // @scope at_a_case
  case 2:
    p[5] = 5;
    // CHECK: :[[#@LINE+1]]:8: error: '@scope' has no statement behind it
    // @scope last
  }
  // Jumps within a scope are its own.
  // @scope own_jumps
  {
  inside:
    switch (n) {
    case 1:
      p[6] = 6;
    }
    if (--n > 0)
      goto inside;
  }
  // CHECK: :[[#@LINE+2]]:6: error: 'own_jumps' is already the name of a scope in 'kernel'
  // CHECK: :[[#@LINE-11]]:6: note: first used here
  // @value own_jumps = n
}
