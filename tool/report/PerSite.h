// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Something for each site of each kernel, made once. Internal to tool/report.
#ifndef KINSTR_REPORT_PERSITE_H
#define KINSTR_REPORT_PERSITE_H

#include "trace/Trace.h"

namespace kinstr::report {

template <typename Value> class PerSite {
public:
  /// \p Make: Value(const trace::Site &).
  template <typename Fn> PerSite(const trace::Trace &T, Fn Make) {
    for (const trace::Module &M : T.meta().Modules) {
      Kernels.emplace_back();
      for (const trace::Kernel &K : M.Kernels) {
        std::vector<Value> &Sites = Kernels.back().emplace_back();
        for (const trace::Site &S : K.Sites)
          Sites.push_back(Make(S));
      }
    }
  }

  /// By number of the site.
  const std::vector<Value> &of(const trace::Launch &L) const {
    return Kernels[L.Module][L.Kernel];
  }

private:
  std::vector<std::vector<std::vector<Value>>> Kernels; ///< by module
};

} // namespace kinstr::report

#endif // KINSTR_REPORT_PERSITE_H
