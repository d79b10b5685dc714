// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The object a kernel's body holds. The recorder in it, one of those in the other files, has
//
//   record<Site>()        at a site
//   record<Site>(number)  at one that records a number as well, in stream layouts
//   leave(progress)       at the exit
//
// Progress is kept out here, where a recorder chosen at run time (either.cuh) cannot hide it from
// the compiler: in straight code it folds to constants.
#ifndef KINSTR_DETAIL_KERNEL_RECORDER_CUH
#define KINSTR_DETAIL_KERNEL_RECORDER_CUH

#include <kinstr/detail/arena.cuh>

namespace kinstr
{
namespace detail
{

/// Which sites a warp has passed, where each is passed at most once.
template <std::uint32_t Sites>
class slots_progress
{
  static_assert(Sites < 64, "a bit each");
  static constexpr unsigned long long all = (1ull << Sites) - 1;

  unsigned long long reached_;

public:
  KINSTR_DEVICE slots_progress() : reached_(0) {}

  template <std::uint32_t Site>
  KINSTR_DEVICE void pass()
  {
    reached_ |= 1ull << Site;
  }

  /// What to store for slot `i`, the exit's among them, that holds `v`.
  KINSTR_DEVICE std::uint32_t slot(std::uint32_t i, std::uint32_t v) const
  {
    return reached_ == all || ((reached_ | 1ull << Sites) >> i & 1) != 0 ? nonzero(v) : 0;
  }
};

/// Where sites are in loops nobody keeps count.
struct stream_progress
{
  template <std::uint32_t>
  KINSTR_DEVICE void pass()
  {
  }
};

template <typename Recorder, typename Progress>
class kernel_recorder
{
  Recorder recorder_;
  Progress progress_;

public:
  KINSTR_DEVICE kernel_recorder() {}
  kernel_recorder(const kernel_recorder &)            = delete;
  kernel_recorder &operator=(const kernel_recorder &) = delete;

  template <std::uint32_t Site>
  KINSTR_DEVICE void kinstr_mark()
  {
    recorder_.template record<Site>();
    progress_.template pass<Site>();
  }

  /// By value: a reference to a constant of the host's would need an object.
  template <std::uint32_t Site, typename T>
  KINSTR_DEVICE void kinstr_value(T v)
  {
    recorder_.template record<Site>(number_from<T>::make(v));
    progress_.template pass<Site>();
  }

  KINSTR_DEVICE ~kernel_recorder() { recorder_.leave(progress_); }
};

} // namespace detail
} // namespace kinstr

#endif // KINSTR_DETAIL_KERNEL_RECORDER_CUH
