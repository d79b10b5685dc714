// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tool says about a source file, as data: every stage appends, the
// driver prints once at the end.
#ifndef KINSTR_ANNOTATE_DIAGNOSTIC_H
#define KINSTR_ANNOTATE_DIAGNOSTIC_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinstr {

enum class Severity { Error, Warning, Remark, Note };

/// A change that would put the matter right: replace [Begin, End) by Text.
struct FixIt {
  unsigned Begin;
  unsigned End;
  std::string Text;
};

/// A message about the byte at Offset of the main file. Notes follow the
/// message they belong to.
struct Diagnostic {
  Severity Level;
  unsigned Offset;
  std::string Message;
  std::optional<FixIt> Fix;
};

class Diagnostics {
public:
  /// Messages follow clang's style: lower case start, no final full stop.
  Diagnostic &add(Severity Level, unsigned Offset, std::string Message) {
    assert(!Message.empty() && Message.back() != '.' &&
           (Message.front() < 'A' || Message.front() > 'Z') &&
           "messages start in lower case and do not end in a full stop");
    Errors += Level == Severity::Error;
    List.push_back({Level, Offset, std::move(Message), std::nullopt});
    return List.back();
  }
  Diagnostic &error(unsigned Offset, std::string Message) {
    return add(Severity::Error, Offset, std::move(Message));
  }
  Diagnostic &warning(unsigned Offset, std::string Message) {
    return add(Severity::Warning, Offset, std::move(Message));
  }
  Diagnostic &remark(unsigned Offset, std::string Message) {
    return add(Severity::Remark, Offset, std::move(Message));
  }
  Diagnostic &note(unsigned Offset, std::string Message) {
    return add(Severity::Note, Offset, std::move(Message));
  }

  bool hasErrors() const { return Errors != 0; }
  const std::vector<Diagnostic> &all() const { return List; }

private:
  std::vector<Diagnostic> List;
  unsigned Errors = 0;
};

} // namespace kinstr

#endif // KINSTR_ANNOTATE_DIAGNOSTIC_H
