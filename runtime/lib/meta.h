// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of a trace.
#ifndef KINSTR_LIB_META_H
#define KINSTR_LIB_META_H

#include "state.h"

#include <string>
#include <vector>

namespace kinstr::rt
{

struct region_loss
{
  std::uint32_t device;
  std::uint32_t sm;
  std::uint64_t records;
  std::uint64_t events;
};

struct trace_totals
{
  std::uint64_t records = 0;
  std::uint64_t events  = 0;
  std::vector<region_loss> dropped;

  std::uint64_t dropped_records() const;
  std::uint64_t dropped_events() const;
};

/// The JSON of docs/trace-format.md, "Meta".
std::string write_meta(const process_state &p, const trace_totals &totals);

} // namespace kinstr::rt

#endif // KINSTR_LIB_META_H
