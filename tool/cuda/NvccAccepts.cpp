// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "cuda/NvccAccepts.h"

#include "clang/AST/ASTDiagnostic.h"
#include "clang/Sema/SemaDiagnostic.h"

namespace kinstr {

bool nvccAccepts(unsigned Diagnostic) {
  switch (Diagnostic) {
  // A __shared__ barrier, whose constructor nvcc leaves out with a warning.
  case clang::diag::err_shared_var_init:
  // asm("mov.u64 %0, %globaltimer;"): one % for a register.
  case clang::diag::err_asm_invalid_escape:
  // An operand too many, in a template that nothing instantiates.
  case clang::diag::err_asm_invalid_operand_number:
  // #pragma unroll in front of another statement, or with a count below 1.
  case clang::diag::err_pragma_loop_precedes_nonloop:
  case clang::diag::err_requires_positive_value:
  // A call of a host function in a __host__ __device__ one: nvcc warns.
  case clang::diag::err_ref_bad_target:
    return true;
  default:
    return false;
  }
}

} // namespace kinstr
