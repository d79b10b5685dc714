// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --auto: annotations for kernels that have none, as text that is inserted
// before everything else.
#ifndef KINSTR_REWRITE_AUTOANNOTATE_H
#define KINSTR_REWRITE_AUTOANNOTATE_H

#include "annotate/Sources.h"
#include "cuda/ClangArgs.h"
#include "rewrite/Bind.h"
#include "llvm/Support/Regex.h"
#include <optional>
#include <string>
#include <vector>

namespace kinstr {

/// One annotation.
struct AutoMark {
  unsigned At;      ///< a comment may be inserted here
  unsigned Below;   ///< ... down to here: the statement, or a pragma before it
  unsigned Indent;  ///< a line of its own is indented as this place is
  std::string Text; ///< "@phase load"
};

struct AutoChoice {
  std::vector<AutoMark> Marks; ///< in file order
  /// The file as it is, if it has no annotations and gets none: another reading
  /// would show nothing else.
  std::optional<BoundFile> Bound;
  Diagnostics Binding; ///< what there is to say of Bound
};

/// Chooses phases for every kernel of the main file that has no annotation of
/// its own and whose qualified name matches \p Kernels, or for all if that is
/// null. A kernel with one phase gets an "@end" as well. One remark a kernel
/// says how many there are, and why if there are fewer than two.
AutoChoice chooseAnnotations(Sources &Files, const llvm::Regex *Kernels,
                             const CompileOptions &Options, const Toolkit &Cuda,
                             Diagnostics &Diags);

/// Text to be inserted.
struct Insertion {
  unsigned At;
  std::string Text;
};

/// Comments that leave every line where it is.
std::vector<Insertion> commentsInLine(llvm::ArrayRef<AutoMark> Marks);

/// Comments on lines of their own, to be read and edited.
std::vector<Insertion> commentsOnLines(llvm::StringRef Code,
                                       llvm::ArrayRef<AutoMark> Marks);

std::string insertAll(llvm::StringRef Code, llvm::ArrayRef<Insertion> Inserted);

/// What was at \p Offset of the result before the insertions were made.
unsigned offsetBefore(llvm::ArrayRef<Insertion> Inserted, unsigned Offset);

} // namespace kinstr

#endif // KINSTR_REWRITE_AUTOANNOTATE_H
