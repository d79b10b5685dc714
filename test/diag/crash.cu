// A crash of clang is an error like another: said once, and nothing is written.
// RUN: rm -f %t.cu
// RUN: bash -c '%kinstr %s -arch=sm_90 -o %t.cu 2> %t.err; test $? = 1' && test ! -e %t.cu
// RUN: FileCheck %s < %t.err --implicit-check-not=error: --implicit-check-not=Stack
// CHECK: crash.cu:1:1: error: clang did not read this file
// CHECK: note: clang crashed while reading it
__global__ void k(int *p) {
  // @phase a
  p[0] = 1;
}
#pragma clang __debug crash
