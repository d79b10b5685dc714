// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The comments kinstr understands, as data (docs/annotations.md).
#ifndef KINSTR_ANNOTATE_ANNOTATION_H
#define KINSTR_ANNOTATE_ANNOTATION_H

#include <optional>
#include <string>

namespace kinstr {

enum class Directive { Phase, End, Mark, Scope, Value, Kernel };

/// What to wait for before the timestamp is taken.
enum class Drain { None, Loads, Stores };

/// Where events wait until the warp leaves the kernel. Auto: kinstr chooses.
enum class Buffer { Shared, Lanes, Global, Auto };

struct Annotation {
  Directive Kind = Directive::Phase;
  std::string Name; ///< empty for @end, and for @kernel without a name
  Drain Wait = Drain::None;
  std::string Expression;             ///< @value NAME =
  std::optional<Buffer> KernelBuffer; ///< @kernel buffer=
  bool LanesStayTogether = false;     ///< @kernel flow=uniform

  // Where it stands, in bytes of the file.
  unsigned Begin = 0;       ///< of the comment
  unsigned End = 0;         ///< behind the comment
  unsigned At = 0;          ///< of the '@'
  unsigned Line = 0;        ///< of the '@', from 1
  bool InDirective = false; ///< inside a preprocessor directive: #define ...
};

} // namespace kinstr

#endif // KINSTR_ANNOTATE_ANNOTATION_H
