// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar of one comment.
#ifndef KINSTR_ANNOTATE_GRAMMAR_H
#define KINSTR_ANNOTATE_GRAMMAR_H

#include "annotate/Annotation.h"
#include "annotate/Diagnostic.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace kinstr {

/// A comment that starts with '@' and a word kinstr does not know. Whether
/// that is a mistake depends on where it stands.
struct UnknownDirective {
  unsigned At; ///< of the '@', in bytes of the file
  std::string Word;
  std::string Suggestion; ///< the directive it resembles, or empty
};

struct ParsedComment {
  std::optional<Annotation> Found;
  std::optional<UnknownDirective> Unknown;
};

/// Parses a comment, its delimiters included, that starts at byte \p Begin of
/// the file. Comments that are not for kinstr (prose, documentation comments,
/// Doxygen commands) yield nothing; malformed annotations are reported and
/// yield nothing either.
ParsedComment parseComment(llvm::StringRef Comment, unsigned Begin,
                           Diagnostics &Diags);

/// A buffer by its name, if it is one.
std::optional<Buffer> parseBuffer(llvm::StringRef Name);

/// What to say where it is none.
constexpr const char *BufferNames =
    "use 'shared', 'lanes', 'global', or 'auto'";

} // namespace kinstr

#endif // KINSTR_ANNOTATE_GRAMMAR_H
