// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the bytes of a trace come from.
#ifndef KINSTR_TRACE_SOURCE_H
#define KINSTR_TRACE_SOURCE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace kinstr::trace {

/// An error that names the place [bytes from the file's start].
llvm::Error errorAt(uint64_t Offset, const llvm::Twine &Message);

/// Bytes that are read piece by piece, by several threads if need be.
class Source {
public:
  virtual ~Source();
  virtual uint64_t size() const = 0;
  /// Fills \p Into from \p Offset on, or fails: there may be less by now.
  virtual llvm::Error read(uint64_t Offset,
                           llvm::MutableArrayRef<uint8_t> Into) const = 0;
};

std::unique_ptr<Source>
memorySource(std::unique_ptr<llvm::MemoryBuffer> Buffer);

/// A file is read where it lies and not mapped: a program that rewrites its
/// trace while we look at a mapping of it would end us with a bus error. What
/// is no regular file, a pipe, is read into memory.
llvm::Expected<std::unique_ptr<Source>> openSource(llvm::StringRef Path);

} // namespace kinstr::trace

#endif // KINSTR_TRACE_SOURCE_H
