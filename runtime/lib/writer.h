// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a trace file: all of it or nothing. No CUDA here.
#ifndef KINSTR_LIB_WRITER_H
#define KINSTR_LIB_WRITER_H

#include <cstddef>
#include <cstdint>
#include <kinstr/record.h>
#include <memory>
#include <string>
#include <vector>

namespace kinstr::rt
{

/// The used words of one region, on the host.
struct region_copy
{
  region_header header;
  std::size_t size;                       ///< [words]
  std::shared_ptr<std::uint32_t[]> words; ///< may be a part of what others point into
  std::uint32_t checksum = 0;             ///< of header and words: see seal()
};

/// Sets the checksum, when all else is as it stays.
void seal(region_copy &r);

/// Writes `path`, with the regions as sealed, by way of a temporary file beside it, so that a
/// reader never sees half of one. What is no regular file (/dev/stdout, a pipe) is written
/// directly; a pipe must have a reader, and one that takes nothing for 10 s is an error. Returns 0,
/// or the errno of the step that failed, and then leaves nothing behind. Raises no signal.
int write_trace(const std::string &path, const std::string &meta,
                const std::vector<region_copy> &regions);

} // namespace kinstr::rt

#endif // KINSTR_LIB_WRITER_H
