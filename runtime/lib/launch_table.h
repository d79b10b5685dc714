// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of launches, and that of the kernels launched.
#ifndef KINSTR_LIB_LAUNCH_TABLE_H
#define KINSTR_LIB_LAUNCH_TABLE_H

#include "state.h"

namespace kinstr::rt
{

/// A source line that launches.
struct launch_place
{
  kinstr_module *module; ///< null: unknown
  int site;
};

constexpr std::size_t no_row = ~std::size_t{0};

/// A launch that is about to be made: the call itself follows (launch_calls.cpp).
struct announced_launch
{
  launch_place at;
  bool configured; ///< `arguments` are known, and the launch is committed
  launch_arguments arguments;
  std::size_t row         = no_row; ///< of the launch table
  std::uint64_t committed = 0;      ///< that row's time
};

/// Attaches where need be, switches recording, and adds the launch to the table. A launch at an
/// unknown place counts only if its kernel is annotated; but another kernel may call something that
/// is, so it attaches too.
void commit(process_state &p, announced_launch &l);

/// Adds to the row of `l` what was not known when it was committed: the kernel.
void complete(process_state &p, const announced_launch &l, const void *kernel);

} // namespace kinstr::rt

#endif // KINSTR_LIB_LAUNCH_TABLE_H
