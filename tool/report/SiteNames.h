// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers for the names of sites, for files in which each name stands once.
// Internal to tool/report.
#ifndef KINSTR_REPORT_SITENAMES_H
#define KINSTR_REPORT_SITENAMES_H

#include "report/Names.h"
#include "report/PerSite.h"
#include "llvm/ADT/StringMap.h"

namespace kinstr::report {

/// `phase`, `mark`, `scope`, `value`: what a row of a table is of.
inline const char *kindName(trace::SiteKind Kind) {
  switch (Kind) {
  case trace::SiteKind::Mark:
    return "mark";
  case trace::SiteKind::Scope:
    return "scope";
  case trace::SiteKind::Value:
    return "value";
  default:
    return "phase";
  }
}

class SiteNames {
public:
  /// Of sites that \p Has; others have number 0.
  template <typename Predicate>
  SiteNames(const trace::Trace &T, Predicate Has)
      : OfSites(T, [&](const trace::Site &S) -> uint32_t {
          return Has(S) ? numberOf(plainText(S.Name)) : 0;
        }) {}

  /// From number 1 on.
  const std::vector<std::string> &list() const { return List; }
  /// By number of the site.
  const std::vector<uint32_t> &of(const trace::Launch &L) const {
    return OfSites.of(L);
  }

private:
  uint32_t numberOf(const std::string &Name) {
    auto [It, New] =
        Numbers.try_emplace(Name, static_cast<uint32_t>(List.size() + 1));
    if (New)
      List.push_back(Name);
    return It->second;
  }

  llvm::StringMap<uint32_t> Numbers;
  std::vector<std::string> List;
  PerSite<uint32_t> OfSites;
};

} // namespace kinstr::report

#endif // KINSTR_REPORT_SITENAMES_H
