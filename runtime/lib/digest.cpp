// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads for the drain.
#include "digest.h"

#include "signals.h"

#include <algorithm>
#include <system_error>

namespace kinstr::rt
{
namespace
{

/// One reads about 1 GB/s; more than a few only take from the copying.
constexpr unsigned most_threads = 4;

void digest(region_digest &r)
{
  seal(r.region);
  r.counts = count_records(r.region.words.get(), r.region.size);
}

} // namespace

digester::digester(std::size_t most_regions)
{
  regions_.reserve(most_regions);
  const std::size_t wanted =
      std::min<std::size_t>({most_threads, std::thread::hardware_concurrency(), most_regions});
  const all_signals_guard signals;
  while (threads_.size() < wanted && start_thread())
  {
  }
}

digester::~digester() { join(); }

void digester::add(region_copy r)
{
  if (threads_.empty())
  {
    regions_.push_back({std::move(r), {}});
    digest(regions_.back());
    return;
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  regions_.push_back({std::move(r), {}});
  added_ = regions_.size();
  more_.notify_one();
}

std::vector<region_digest> digester::finish()
{
  join();
  return std::move(regions_);
}

bool digester::start_thread()
{
  try
  {
    threads_.emplace_back([this] { work(); });
    return true;
  }
  catch (const std::system_error &)
  {
    return false; // with those there are, or none
  }
}

void digester::work()
{
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;)
  {
    more_.wait(lock, [this] { return taken_ < added_ || finished_; });
    if (taken_ == added_)
    {
      return;
    }
    region_digest &mine = regions_[taken_++];
    lock.unlock();
    digest(mine);
    lock.lock();
  }
}

void digester::join()
{
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    finished_ = true;
    more_.notify_all();
  }
  for (std::thread &t : threads_)
  {
    t.join();
  }
  threads_.clear();
}

} // namespace kinstr::rt
