// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For kernels whose lanes stay together where a warp is 32 neighbours along x, as conditions on
// threadIdx.x / 32 make them: the block's shape decides at entry.
#ifndef KINSTR_DETAIL_WARPROWS_RECORDER_CUH
#define KINSTR_DETAIL_WARPROWS_RECORDER_CUH

#include <kinstr/detail/direct_recorder.cuh>
#include <new>

namespace kinstr
{
namespace detail
{

/// `Together` is a recorder for uniform flow. In blocks that cut warps from several short rows,
/// each event is a record of its own instead.
template <std::uint32_t Kernel, typename Together>
class warprows
{
  union
  {
    Together together_;
    direct_divergent<Kernel> apart_;
  };
  bool rows_;

public:
  KINSTR_DEVICE warprows() : rows_(has_whole_rows())
  {
    if (rows_)
    {
      new (&together_) Together;
    }
    else
    {
      new (&apart_) direct_divergent<Kernel>;
    }
  }
  warprows(const warprows &)            = delete;
  warprows &operator=(const warprows &) = delete;

  template <std::uint32_t Site>
  KINSTR_DEVICE void kinstr_mark()
  {
    if (rows_)
    {
      together_.template kinstr_mark<Site>();
    }
    else
    {
      apart_.template kinstr_mark<Site>();
    }
  }

  KINSTR_DEVICE ~warprows()
  {
    if (rows_)
    {
      together_.~Together();
    }
    else
    {
      apart_.~direct_divergent();
    }
  }
};

} // namespace detail
} // namespace kinstr

#endif // KINSTR_DETAIL_WARPROWS_RECORDER_CUH
