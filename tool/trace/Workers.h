// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work in parts, on several threads, whose results are taken in order.
#ifndef KINSTR_TRACE_WORKERS_H
#define KINSTR_TRACE_WORKERS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <functional>

namespace kinstr::trace {

/// How somebody who waits is told how far it is, and ends it.
struct Watch {
  /// Of two numbers of bytes, what is done and all there is. Called a few times
  /// a second, on the thread that waits.
  std::function<void(uint64_t Done, uint64_t All)> Progress;
  /// Ends the work with an Interrupted where it becomes true.
  const std::atomic<bool> *Cancel = nullptr;
  /// 0: as many as the machine has, 8 at most.
  unsigned Threads = 0;

  bool cancelled() const { return Cancel && *Cancel; }
};

/// Watch::Cancel became true.
class Interrupted : public llvm::ErrorInfo<Interrupted> {
public:
  static char ID;
  void log(llvm::raw_ostream &OS) const override;
  std::error_code convertToErrorCode() const override;
};

/// Does \p Next although \p E, unless that is an interruption, which is all
/// that comes back then. Else both errors do.
llvm::Error andThen(llvm::Error E, llvm::function_ref<llvm::Error()> Next);

/// Bytes that are done, of all.
struct Meter {
  explicit Meter(uint64_t All) : All(All) {}
  const uint64_t All;
  std::atomic<uint64_t> Done = 0;
};

/// Calls \p Work for 0 to \p Count - 1, on several threads, and \p Done in that
/// order on the calling thread, for each of which the work succeeded. Work is
/// not begun for more than a few whose predecessors are not done. The first
/// error, in that order, ends it. \p M, which \p Work moves on, also says
/// whether threads are worth the trouble.
llvm::Error inOrder(size_t Count, const Watch &W, Meter &M,
                    llvm::function_ref<llvm::Error(size_t)> Work,
                    llvm::function_ref<llvm::Error(size_t)> Done);

} // namespace kinstr::trace

#endif // KINSTR_TRACE_WORKERS_H
