// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the environment and the system say.
#include "identity.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace kinstr::rt
{
namespace
{

/// Where launchers say it: torchrun, Open MPI, PMIx, MPICH and Intel MPI, MVAPICH, Slurm. Slurm
/// comes last, since it also starts single processes that start others.
constexpr const char *rank_variables[] = {"RANK",     "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                          "PMI_RANK", "MV2_COMM_WORLD_RANK",  "SLURM_PROCID"};

/// -1: no number, or none that a rank could be.
int parse_rank(const char *text)
{
  char *end        = nullptr;
  errno            = 0;
  const long value = std::strtol(text, &end, 10);
  return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && value <= INT_MAX
             ? static_cast<int>(value)
             : -1;
}

std::string host_name()
{
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

std::string boot_id()
{
  char text[64]    = {};
  FILE *const file = std::fopen("/proc/sys/kernel/random/boot_id", "re");
  if (file == nullptr)
  {
    return "";
  }
  const bool read = std::fscanf(file, "%63[0-9a-f-]", text) == 1;
  std::fclose(file);
  return read ? text : "";
}

} // namespace

int read_rank()
{
  for (const char *const variable : rank_variables)
  {
    const char *const text = std::getenv(variable);
    if (const int rank = text != nullptr ? parse_rank(text) : -1; rank >= 0)
    {
      return rank;
    }
  }
  return -1;
}

process_identity read_identity() { return {read_rank(), host_name(), boot_id()}; }

} // namespace kinstr::rt
