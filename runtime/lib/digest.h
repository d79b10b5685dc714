// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What must be known of each region before the file can be written: its checksum, and what it
// holds. Found out beside the copying of the next one. No CUDA here.
#ifndef KINSTR_LIB_DIGEST_H
#define KINSTR_LIB_DIGEST_H

#include "arena.h"
#include "writer.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace kinstr::rt
{

struct region_digest
{
  region_copy region;
  record_counts counts;
};

/// Threads that seal and count regions in the order they come. Where there can be no threads, the
/// calls do it.
class digester
{
  std::vector<region_digest> regions_; // reserved: no element moves
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::size_t added_ = 0;
  std::size_t taken_ = 0;
  bool finished_     = false;

public:
  explicit digester(std::size_t most_regions);
  digester(const digester &)            = delete;
  digester &operator=(const digester &) = delete;
  ~digester();

  /// At most as often as was said.
  void add(region_copy r);

  /// All of them, in that order. Nothing may be added afterwards.
  std::vector<region_digest> finish();

private:
  bool start_thread();
  void work();
  void join();
};

} // namespace kinstr::rt

#endif // KINSTR_LIB_DIGEST_H
