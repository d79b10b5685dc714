// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and numbers as people read them.
#ifndef KINSTR_REPORT_NAMES_H
#define KINSTR_REPORT_NAMES_H

#include "trace/Trace.h"

namespace kinstr::report {

/// \p Text with what controls a terminal, ends a line or turns text round
/// replaced: a trace may come from anywhere, and a name in it must not be able
/// to do so.
std::string printable(llvm::StringRef Text);

/// The same, and valid UTF-8, for files that other programs read.
std::string plainText(llvm::StringRef Text);

/// The kernel instance of a launch, demangled, with template arguments and
/// without parameters: `norm<5120>`. The name in the source where the instance
/// is unknown.
std::string kernelName(const trace::Trace &T, const trace::Launch &L);

/// `432`, `16 × 8`, `2 × 3 × 4`: trailing ones left out.
std::string dims(const trace::Dim3 &D);

/// `640 (20 warps)`: the block of a launch.
std::string blockDims(const trace::Launch &L);

/// `1.755 GHz`, as a number only.
std::string gigahertz(double NsPerCycle);

/// `clock 1.755 GHz measured (1.749–1.761)`: the rate and where it comes from.
std::string clockText(const trace::LaunchClock &C);

/// `± 18 ns`: how far the time axes of two SMs can be apart; `unknown`, `none`.
std::string alignmentText(const trace::LaunchClock &C);

/// `1 in 16 blocks, warps 4 to 7`: what a run recorded a part of.
std::string sampleText(const trace::Sampling &S);

/// `2 processes, between processes: ± 1234 ns`: of a merged trace.
std::string mergedText(const trace::Meta &M);

/// `process 1 (rank 1 of train on node7, pid 123)`: of a merged trace.
std::string processText(const trace::Meta &M, uint32_t Process);

/// `8.05 µs`, `950 ns`, `12.3 ms`.
std::string duration(double Ns);

/// `1 block`, `2 blocks`.
std::string counted(uint64_t N, llvm::StringRef Noun);

/// Fixed number of decimals.
std::string fixed(double Value, unsigned Decimals);

} // namespace kinstr::report

#endif // KINSTR_REPORT_NAMES_H
