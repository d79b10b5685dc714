// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kinstr-nvcc: stands where a build calls nvcc, and has annotated files
// rewritten on the way.

#include "kinstr-nvcc/Launcher.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/InitLLVM.h"

using namespace llvm;
using namespace kinstr;

static constexpr StringLiteral Help =
    R"(OVERVIEW: kinstr-nvcc: nvcc, with annotated CUDA files rewritten by kinstr on the way

USAGE: kinstr-nvcc [LAUNCHER...] [NVCC] NVCC-ARGUMENTS

  cmake -DCMAKE_CUDA_COMPILER_LAUNCHER=kinstr-nvcc ...
  make NVCC="kinstr-nvcc nvcc"
  PYTORCH_NVCC=kinstr-nvcc python setup.py build_ext

Every CUDA file that is compiled goes through kinstr first. The copy lies in
OUTPUT.kinstr/, beside the output, and is compiled with the flags given.
Programs that are linked get the runtime, libkinstr_rt. All else goes to nvcc
as it is, and the exit status is nvcc's.

When kinstr cannot rewrite a file, or nvcc cannot compile what it made of it,
the file is compiled as it is, and one line says so.

ENVIRONMENT
  KINSTR_FLAGS    options for kinstr, such as --buffer=global or --remarks
  KINSTR_STRICT   1: fail instead of compiling a file as it is
  KINSTR_DISABLE  1: only call nvcc
  KINSTR_NVCC     the nvcc to call where the command names none.
                  Default: that on PATH, in $CUDA_HOME, /usr/local/cuda

'kinstr-nvcc nvcc --help' is nvcc's help. More: docs/integration.md.
)";

int main(int Argc, char **Argv) {
  InitLLVM Init(Argc, Argv);
  Words Args(Argv + 1, Argv + Argc);
  if (Args.empty()) {
    errs() << "usage: kinstr-nvcc [nvcc] ARGUMENTS; see kinstr-nvcc --help\n";
    return 2;
  }
  if (Args == Words{"--help"} || Args == Words{"-h"}) {
    outs() << Help;
    return 0;
  }
  exitLike(Launcher(readEnvironment(), findInstallation()).launch(Args));
}
