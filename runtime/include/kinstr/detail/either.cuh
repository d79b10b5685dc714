// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two recorders for one kernel, of which the block's shape decides at entry.
#ifndef KINSTR_DETAIL_EITHER_CUH
#define KINSTR_DETAIL_EITHER_CUH

#include <kinstr/detail/direct_recorder.cuh>
#include <new>

namespace kinstr
{
namespace detail
{

/// Every warp is neighbours along x, so that threadIdx.x / 32 and threadIdx.y are the same in its
/// lanes.
struct whole_rows
{
  KINSTR_DEVICE static bool holds() { return blockDim.x % 32 == 0 || blockDim.y * blockDim.z == 1; }
};

/// Every warp has 32 lanes.
struct whole_warps
{
  KINSTR_DEVICE static bool holds() { return blockDim.x * blockDim.y * blockDim.z % 32 == 0; }
};

template <typename Condition, typename If, typename Else>
class either
{
  union
  {
    If if_;
    Else else_;
  };
  bool holds_;

public:
  KINSTR_DEVICE either() : holds_(Condition::holds())
  {
    if (holds_)
    {
      new (&if_) If;
    }
    else
    {
      new (&else_) Else;
    }
  }
  either(const either &)            = delete;
  either &operator=(const either &) = delete;

  template <std::uint32_t Site>
  KINSTR_DEVICE void record()
  {
    if (holds_)
    {
      if_.template record<Site>();
    }
    else
    {
      else_.template record<Site>();
    }
  }

  template <std::uint32_t Site>
  KINSTR_DEVICE void record(number n)
  {
    if (holds_)
    {
      if_.template record<Site>(n);
    }
    else
    {
      else_.template record<Site>(n);
    }
  }

  template <typename Progress>
  KINSTR_DEVICE void leave(const Progress &progress)
  {
    if (holds_)
    {
      if_.leave(progress);
    }
    else
    {
      else_.leave(progress);
    }
  }
};

/// For kernels whose lanes stay together where a warp is 32 neighbours along x, as conditions on
/// threadIdx.x / 32 make them. In other blocks each event is a record of its own.
template <std::uint32_t Kernel, typename Together>
using warprows = either<whole_rows, Together, direct_divergent<Kernel>>;

} // namespace detail
} // namespace kinstr

#endif // KINSTR_DETAIL_EITHER_CUH
