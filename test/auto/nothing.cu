// Where there is nothing to choose, the file is read once, and all is said that its rewriting would say.
// RUN: %kinstr --auto %s -arch=sm_90 -o %t.cu 2>&1 | FileCheck %s --check-prefixes=AUTO,ALL
// RUN: diff %s %t.cu
// RUN: %kinstr %s -arch=sm_90 -o %t.plain.cu 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: %kinstr --auto --emit-annotations %s -arch=sm_90 -o %t.kept.cu 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: %kinstr --auto %s -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 -o %t.cu 2>&1 | FileCheck %s --check-prefixes=AUTO,ALL
// KEPT: nothing.cu:1:1: remark: auto: no kernel without annotations
// KEPT-NOT: remark
// AUTO: nothing.cu:1:1: remark: auto: no kernel without annotations
// ALL-NOT: auto:
// ALL: nothing.cu:1:1: remark: no annotations: the copy is the original
#define CONFIG 1, 32
void launch(void (*kernel)()) {
  // ALL: nothing.cu:[[#@LINE+1]]:3: remark: this launch cannot be wrapped
  kernel<<<CONFIG>>>();
}
