// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What '@value' records: an expression of the user's, as a row of tokens.
#ifndef KINSTR_ANNOTATE_EXPRESSION_H
#define KINSTR_ANNOTATE_EXPRESSION_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace kinstr {

struct ExpressionFault {
  size_t At; ///< in the expression [bytes]
  std::string Message;
};

/// Why \p Text cannot be an argument of a macro, in parentheses, on a line that
/// was a comment; or why the program would do something else with it than
/// without. What else is wrong with an expression nvcc says.
std::optional<ExpressionFault> findFault(llvm::StringRef Text);

} // namespace kinstr

#endif // KINSTR_ANNOTATE_EXPRESSION_H
