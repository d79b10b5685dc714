// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who this process is among others whose traces may be merged with its own.
#ifndef KINSTR_LIB_IDENTITY_H
#define KINSTR_LIB_IDENTITY_H

#include <string>

namespace kinstr::rt
{

struct process_identity
{
  int rank = -1;       ///< among the processes of an MPI or torchrun job; -1: not known
  std::string host;    ///< its name
  std::string boot_id; ///< the same for all that share the kernel, and so the host's clock,
                       ///< whatever a container calls itself; empty: not known
};

process_identity read_identity();

/// The rank in the environment; -1: none.
int read_rank();

} // namespace kinstr::rt

#endif // KINSTR_LIB_IDENTITY_H
