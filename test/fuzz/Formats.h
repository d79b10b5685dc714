// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether text is what it claims to be.
#ifndef KINSTR_FUZZ_FORMATS_H
#define KINSTR_FUZZ_FORMATS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include <string>

namespace kinstr {

/// Ends the run where \p Text is not JSON.
llvm::json::Value requireJson(llvm::StringRef Text, llvm::StringRef What);

/// Ends the run where \p Text is no JSON that the schema in the file
/// \p Name of docs/ allows.
void requireJsonOf(llvm::StringRef Text, llvm::StringRef Name);

/// Ends the run where \p Text is not UTF-8, or has control characters other
/// than line breaks: a terminal would do as they say.
void requirePlain(llvm::StringRef Text, llvm::StringRef What);

enum class Markup : uint8_t { Xml, Html };

/// Ends the run where \p Text is not well-formed. As HTML it may have elements
/// that nothing closes, by their names, and styles.
void requireMarkup(llvm::StringRef Text, Markup As, llvm::StringRef What);

} // namespace kinstr

#endif // KINSTR_FUZZ_FORMATS_H
