// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One input file: from reading it to its copies on disk.
#ifndef KINSTR_KINSTR_REWRITEFILE_H
#define KINSTR_KINSTR_REWRITEFILE_H

#include "kinstr/CommandLine.h"
#include "rewrite/Rewrite.h"
#include "llvm/Support/raw_ostream.h"

namespace kinstr {

enum ExitCode { Done = 0, InputError = 1, UsageError = 2 };

/// Says what is wrong with the command.
ExitCode usage(const llvm::Twine &Message, llvm::raw_ostream &Errors);

/// The files to write for \p Files, read as \p Options say, annotated first
/// where they want that. Empty when there are errors.
std::vector<Copy> copiesOf(const CommandLine &Options, Sources &Files,
                           const Toolkit &Cuda, Diagnostics &Diags);

/// Reads the input, prints what there is to say to \p Errors, and writes the
/// copies, or nothing unless it returns Done.
ExitCode rewriteFile(const CommandLine &Options, llvm::raw_ostream &Errors);

} // namespace kinstr

#endif // KINSTR_KINSTR_REWRITEFILE_H
