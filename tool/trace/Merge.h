// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One trace of several: of several processes, GPUs and hosts.
//
// Tables are joined, indices in them and in the records replaced; the rest of
// the records is copied, a piece at a time. Modules and functions that several
// processes have are there once. Readers see an ordinary trace.
#ifndef KINSTR_TRACE_MERGE_H
#define KINSTR_TRACE_MERGE_H

#include "trace/HostClock.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

namespace kinstr::trace {

/// What merging needs to know of one file, besides its bytes.
struct MergeInput {
  std::string File;
  Meta Tables;
  std::vector<ClockDistance> Clocks; ///< by device
  bool CutShort = false;
};

struct MergedTables {
  std::string Json; ///< the meta section
  struct Renumbered {
    uint32_t FirstDevice = 0;
    std::vector<uint32_t> Modules; ///< new index by old one

    bool keepsModules() const;
  };
  std::vector<Renumbered> Inputs; ///< as they were given
  /// What is not as good as it might be, of which file.
  std::vector<std::pair<std::string, std::string>> Warnings;
};

/// What a file that is merged may not be: the error names it.
///
/// \p Json gives the text of the meta section of an input, which is not kept.
/// \p HostClockErrorNs: by how much clocks of hosts may disagree.
llvm::Expected<MergedTables>
mergeTables(llvm::ArrayRef<MergeInput> Inputs,
            llvm::function_ref<llvm::Expected<std::string>(size_t)> Json,
            std::optional<uint64_t> HostClockErrorNs);

/// Takes bytes, in order.
using ByteSink = llvm::function_ref<llvm::Error(llvm::StringRef)>;

/// Writes the whole trace. Sections that were cut short are left out.
llvm::Error writeMerged(llvm::ArrayRef<MergeInput> Inputs,
                        const MergedTables &Tables, ByteSink Write);

/// The text of the meta section of a file that is known to be a trace.
llvm::Expected<std::string> readMetaText(llvm::StringRef File);

} // namespace kinstr::trace

#endif // KINSTR_TRACE_MERGE_H
