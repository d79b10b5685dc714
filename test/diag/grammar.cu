// Annotations that cannot be read. Each is reported; with any error the exit status is 1 and nothing is written.
// RUN: rm -rf %t && mkdir %t
// RUN: bash -c '%kinstr %s -arch=sm_90 -o %t/out.cu 2> %t.err; test $? = 1'
// RUN: FileCheck %s --implicit-check-not=error: --implicit-check-not=warning: < %t.err
// RUN: ls -A %t | count 0

__global__ void kernel(int *p) {
  // CHECK: grammar.cu:[[#@LINE+1]]:6: error: '@phase' needs a name
  // @phase
  // CHECK: :[[#@LINE+1]]:6: error: '@mark' needs a name
  /* @mark */
  // CHECK: :[[#@LINE+1]]:16: error: '!' in the name 'abc!d': names consist of letters, digits and _ - . : / +
  // @phase abc!d
  // CHECK: :[[#@LINE+1]]:18: error: 'drains' is neither 'drain' nor 'drain=stores'
  // @phase load drains
  // CHECK: :[[#@LINE+1]]:18: error: 'drain=all' is neither 'drain' nor 'drain=stores'
  // @phase load drain=all
  // CHECK: :[[#@LINE+2]]:18: error: unexpected 'from x to registers' after the name; only 'drain' or 'drain=stores' may follow
  // CHECK: :[[#@LINE+1]]:18: note: prose goes into a comment of its own
  // @phase load from x to registers
  // CHECK: :[[#@LINE+1]]:24: error: unexpected 'drain' after the name; only 'drain' or 'drain=stores' may follow
  // @phase load drain drain
  // CHECK: :[[#@LINE+2]]:17: error: unexpected 'drain' after the name
  // CHECK: :[[#@LINE+1]]:17: note: prose goes into a comment of its own
  // @mark load drain
  // CHECK: :[[#@LINE+2]]:11: error: unexpected 'load' after '@end'
  // CHECK: :[[#@LINE+1]]:11: note: prose goes into a comment of its own
  // @end load
  // CHECK: :[[#@LINE+1]]:6: error: '@scope' needs a name
  // @scope
  // CHECK: :[[#@LINE+2]]:18: error: unexpected 'loop' after the name; only 'drain' or 'drain=stores' may follow
  // CHECK: :[[#@LINE+1]]:18: note: prose goes into a comment of its own
  // @scope load loop
  // CHECK: :[[#@LINE+1]]:17: error: expected '=' and an expression behind '@value tile'
  // @value tile
  // CHECK: :[[#@LINE+1]]:19: error: expected an expression behind '='
  // @value tile =
  // CHECK: :[[#@LINE+1]]:21: error: '++' in the expression of '@value': it would change what the kernel does
  // @value tile = n++
  // CHECK: :[[#@LINE+1]]:14: error: unknown buffer 'lane': use 'shared', 'lanes', 'global', or 'auto'
  // @kernel buffer=lane
  // CHECK: :[[#@LINE+1]]:14: error: 'warps=' is not supported yet
  // @kernel warps=0
  // CHECK: :[[#@LINE+1]]:14: error: 'blocks=' is not supported yet
  // @kernel blocks=0:4
  // CHECK: :[[#@LINE+1]]:14: error: unknown kernel option 'size=3': '@kernel [NAME] [buffer=shared|lanes|global|auto] [flow=uniform]'
  // @kernel size=3
  // CHECK: :[[#@LINE+1]]:14: error: unknown kernel option 'flow=divergent': '@kernel [NAME] [buffer=shared|lanes|global|auto] [flow=uniform]'
  // @kernel flow=divergent
  // CHECK: :[[#@LINE+1]]:18: error: unknown kernel option 'names': '@kernel [NAME] [buffer=shared|lanes|global|auto] [flow=uniform]'
  // @kernel two names
  // CHECK: :[[#@LINE+1]]:6: error: this comment ends in a backslash and so continues on the next line
  // @phase load \
  p[0] = 1;
  p[1] = 1;
}
