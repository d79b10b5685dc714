// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang's errors that are none to nvcc.
#ifndef KINSTR_CUDA_NVCCACCEPTS_H
#define KINSTR_CUDA_NVCCACCEPTS_H

namespace kinstr {

/// Whether clang's error \p Diagnostic says nothing about the code: nvcc takes
/// it, and clang's tree is whole in spite of it.
bool nvccAccepts(unsigned Diagnostic);

} // namespace kinstr

#endif // KINSTR_CUDA_NVCCACCEPTS_H
