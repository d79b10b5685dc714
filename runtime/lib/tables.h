// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The little the runtime itself needs from a module's JSON tables. No CUDA here.
#ifndef KINSTR_LIB_TABLES_H
#define KINSTR_LIB_TABLES_H

#include <string>
#include <string_view>
#include <vector>

namespace kinstr::rt
{

struct table_contents
{
  std::string file;                          ///< source file, for messages
  std::vector<std::string> kernel_functions; ///< qualified name of each kernel
  std::vector<std::string> keeping_kernels;  ///< whose warps keep events: not in buffer `global`
  std::vector<int> launch_kernels;           ///< for each launch site: index of its kernel, or -1
};

/// Reads `json`, which kinstr wrote: an object as in docs/trace-format.md, "modules". Where the
/// text is something else, what could be read so far is returned.
table_contents read_tables(std::string_view json);

} // namespace kinstr::rt

#endif // KINSTR_LIB_TABLES_H
