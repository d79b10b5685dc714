// kinstr takes the flags that nvcc takes, in every spelling: they decide how the file is read.
// REQUIRES: cuda

// The architecture: the annotation in the branch for sm_90 is bound.
// RUN: %kinstr %s --no-remarks -arch sm_90 | FileCheck %s --check-prefix=SM90
// RUN: %kinstr %s --no-remarks -arch=sm_90 | FileCheck %s --check-prefix=SM90
// RUN: %kinstr %s --no-remarks -arch=compute_90 | FileCheck %s --check-prefix=SM90
// RUN: %kinstr %s --no-remarks --gpu-architecture sm_90a | FileCheck %s --check-prefix=SM90
// RUN: %kinstr %s --no-remarks --gpu-architecture=sm_90 | FileCheck %s --check-prefix=SM90
// RUN: %kinstr %s --no-remarks -gencode arch=compute_90,code=sm_90 | FileCheck %s --check-prefix=SM90
// RUN: %kinstr %s --no-remarks -gencode=arch=compute_90,code=\"sm_90,compute_90\" | FileCheck %s --check-prefix=SM90
// RUN: %kinstr %s --no-remarks --generate-code arch=compute_90,code=[sm_90,sm_90a] | FileCheck %s --check-prefix=SM90
// SM90: KINSTR_KERNEL(0, shared, slots, uniform, 2, 1024)
// RUN: %kinstr %s --no-remarks -arch=sm_80 2>%t.err | FileCheck %s --check-prefix=SM80
// SM80: KINSTR_KERNEL(0, shared, slots, uniform, 1, 1024)

// Macros and include paths.
// RUN: rm -rf %t && mkdir %t && echo '#define LEVEL 3' > %t/level.h
// RUN: %kinstr %s --no-remarks -arch=sm_90 -DEXTRA=1 | FileCheck %s --check-prefix=THREE
// RUN: %kinstr %s --no-remarks -arch=sm_90 -D EXTRA | FileCheck %s --check-prefix=THREE
// RUN: %kinstr %s --no-remarks -arch=sm_90 -DOTHER=1,EXTRA | FileCheck %s --check-prefix=THREE
// RUN: %kinstr %s --no-remarks -arch=sm_90 --define-macro EXTRA=2 | FileCheck %s --check-prefix=THREE
// RUN: %kinstr %s --no-remarks -arch=sm_90 -DHEADER -I%t | FileCheck %s --check-prefix=THREE
// RUN: %kinstr %s --no-remarks -arch=sm_90 -DHEADER -I %t | FileCheck %s --check-prefix=THREE
// RUN: %kinstr %s --no-remarks -arch=sm_90 -DHEADER --include-path=/nowhere,%t | FileCheck %s --check-prefix=THREE
// RUN: %kinstr %s --no-remarks -arch=sm_90 -DHEADER -isystem %t | FileCheck %s --check-prefix=THREE
// RUN: %kinstr %s --no-remarks -arch=sm_90 -include %t/level.h | FileCheck %s --check-prefix=THREE
// RUN: %kinstr %s --no-remarks -arch=sm_90 -DEXTRA -UEXTRA 2>%t.err | FileCheck %s --check-prefix=SM90
// RUN: %kinstr %s --no-remarks -arch=sm_90 -std=c++20 | FileCheck %s --check-prefix=THREE
// RUN: %kinstr %s --no-remarks -arch=sm_90 -std c++20 | FileCheck %s --check-prefix=THREE
// RUN: %kinstr %s --no-remarks -arch=sm_90 --std c++17 2>%t.err | FileCheck %s --check-prefix=SM90
// THREE: KINSTR_KERNEL(0, shared, slots, uniform, 3, 1024)

// Files of options, which may hold files of options.
// RUN: echo "-arch=sm_90 -optf %t/more.txt" > %t/options.txt && printf -- '-DEXTRA=1\n  -O3\n' > %t/more.txt
// RUN: %kinstr %s --no-remarks -optf %t/options.txt | FileCheck %s --check-prefix=THREE
// RUN: %kinstr %s --no-remarks --options-file=%t/options.txt | FileCheck %s --check-prefix=THREE

// What decides only how the code is compiled is taken and changes nothing.
// RUN: %kinstr %s --no-remarks -arch=sm_90 > %t.plain.cu
// RUN: %kinstr %s --no-remarks -arch=sm_90 -O3 -lineinfo -G -g --use_fast_math -use_fast_math -Xcompiler -Wall -Xcompiler=-Wextra,-fPIC --compiler-options '-O2 -g' -Xptxas -v -Xlinker --as-needed --expt-relaxed-constexpr --extended-lambda -rdc=true -c -MD -MF %t.d --maxrregcount=64 -lcuda -L/usr/lib -w -Werror all-warnings -ccbin g++ -t 0 -t4 --threads=4 -diag-suppress 177 -lineinfo -src-in-ptx -m64 -x cu -cudart static --default-stream per-thread | cmp - %t.plain.cu

// Behind '--' stand arguments for clang, as they are.
// RUN: %kinstr %s --no-remarks -arch=sm_90 -- -DEXTRA | FileCheck %s --check-prefix=THREE
// RUN: %kinstr %s --no-remarks -arch=sm_90 -- -std=c++20 | FileCheck %s --check-prefix=THREE

#ifdef HEADER
#include <level.h>
#endif
__global__ void kernel(int *p) {
  // @phase a
  p[0] = 1;
#if __CUDA_ARCH__ >= 900
  // @phase on_90
  p[1] = 1;
#endif
#if defined(EXTRA) || LEVEL == 3 || __cplusplus >= 202002L
  // @phase extra
  p[2] = 1;
#endif
}
