// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of files.
#ifndef KINSTR_SUPPORT_PATHS_H
#define KINSTR_SUPPORT_PATHS_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include <string>

namespace kinstr {

/// \p Path as seen from \p Folder: itself if it is absolute or \p Folder empty.
inline std::string inFolder(llvm::StringRef Folder, const llvm::Twine &Path) {
  llvm::SmallString<256> Out(Folder);
  if (llvm::sys::path::is_absolute(Path))
    Out.clear();
  llvm::sys::path::append(Out, Path);
  return Out.str().str();
}

} // namespace kinstr

#endif // KINSTR_SUPPORT_PATHS_H
