// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the graphics have in common: title lines and legend. Internal to
// tool/report.
#ifndef KINSTR_REPORT_SVGFRAME_H
#define KINSTR_REPORT_SVGFRAME_H

#include "report/Phases.h"
#include "report/Selection.h"
#include "report/Svg.h"
#include "llvm/ADT/BitVector.h"

namespace kinstr::report {

constexpr double PlotLeft = 64;

/// `norm<5120>: blocks over time, launch 2`.
std::string title(const Svg &S, const trace::Trace &T, uint32_t Launch,
                  llvm::StringRef What);

/// The filters a picture was made under, as a sentence; empty for none. That on
/// blocks is in the title, or does not apply.
std::string filterText(const Selection &S);

/// Title, two lines about device and launch, legend of the selected phases, and
/// of the scopes in \p Scopes; the y below them. \p Untracked: there is time in
/// no phase.
double drawHead(Svg &S, const trace::Trace &T, const Selection &Chosen,
                uint32_t Launch, llvm::StringRef Title,
                llvm::StringRef Subtitle, bool Untracked,
                const llvm::BitVector &Scopes = {});

/// The fill of a scope: they follow the phases.
inline Fill scopeFill(const Theme &Colours, const PhaseRows &Phases,
                      size_t Scope) {
  return Colours.fillOf(Phases.size() + Scope);
}

} // namespace kinstr::report

#endif // KINSTR_REPORT_SVGFRAME_H
