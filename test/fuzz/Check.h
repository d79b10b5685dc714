// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fuzz targets of kinstr have in common.
#ifndef KINSTR_FUZZ_CHECK_H
#define KINSTR_FUZZ_CHECK_H

#include "Require.h"
#include "annotate/Sources.h"
#include <algorithm>

namespace kinstr {

/// Whether elements correspond, one by one.
template <typename Range, typename Predicate>
bool equal(const Range &A, const Range &B, Predicate Same) {
  return std::equal(A.begin(), A.end(), B.begin(), B.end(), Same);
}

inline bool same(const Diagnostics &A, const Diagnostics &B) {
  return kinstr::equal(A.all(), B.all(),
                       [](const Diagnostic &X, const Diagnostic &Y) {
                         return X.Level == Y.Level && X.Offset == Y.Offset &&
                                X.Message == Y.Message;
                       });
}

/// Messages can be printed: they point into the files.
inline void requirePlaces(const Diagnostics &Diags, unsigned Begin,
                          unsigned End) {
  auto InFile = [=](unsigned At) { return Begin <= At && At <= End; };
  for (const Diagnostic &D : Diags.all()) {
    require(InFile(D.Offset), "a message points into the file");
    require(!D.Fix || (InFile(D.Fix->Begin) && InFile(D.Fix->End) &&
                       D.Fix->Begin <= D.Fix->End),
            "a fix-it is a range of the file");
  }
}

} // namespace kinstr

#endif // KINSTR_FUZZ_CHECK_H
