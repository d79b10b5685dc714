// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the CUDA Toolkit is.
#ifndef KINSTR_CUDA_TOOLKIT_H
#define KINSTR_CUDA_TOOLKIT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace kinstr {

struct Toolkit {
  std::string Root;     ///< holds include/cuda_runtime.h
  unsigned Version = 0; ///< CUDA_VERSION of cuda.h: 13000 is 13.0
  unsigned Build = 0;   ///< of its nvcc: 88 is 13.0.88; 0 if it has none
  std::string CcclDir;  ///< include folder of CCCL where it is not Root/include
};

/// Finds the toolkit: \p Asked (--cuda-path) if not empty, else $CUDA_HOME,
/// $CUDA_PATH, the toolkit of the nvcc on PATH, /usr/local/cuda.
llvm::Expected<Toolkit> findToolkit(llvm::StringRef Asked);

} // namespace kinstr

#endif // KINSTR_CUDA_TOOLKIT_H
