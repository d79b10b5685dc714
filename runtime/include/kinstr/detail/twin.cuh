// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's body twice: with marks, and as it was for blocks that do not record. The body is one
// function, so that its static shared memory is there once, and is inlined with either recorder.
#ifndef KINSTR_DETAIL_TWIN_CUH
#define KINSTR_DETAIL_TWIN_CUH

#include <kinstr/detail/arena.cuh>

namespace kinstr
{

/// What stands for the recorder in the body.
template <typename Recorder>
class kinstr_twin
{
  Recorder *recorder_; // null: none

public:
  KINSTR_DEVICE explicit kinstr_twin(Recorder *recorder) : recorder_(recorder) {}

  template <std::uint32_t Site>
  KINSTR_DEVICE void kinstr_mark() const
  {
    if (recorder_ != nullptr)
    {
      recorder_->template kinstr_mark<Site>();
    }
  }
};

namespace detail
{

/// Whether this block records. Of a block all warps run the same body: instructions such as wgmma
/// are of several warps together.
KINSTR_DEVICE bool block_records()
{
  const bool records =
      state.recording == record_samples ? is_block_sampled() : state.recording != record_nothing;
  return asked_by_lane_0(records);
}

} // namespace detail

template <typename Recorder, typename Body>
KINSTR_DEVICE void kinstr_run_twin(const Body &body)
{
  if (detail::block_records())
  {
    Recorder recorder;
    body(kinstr_twin<Recorder>(&recorder));
  }
  else
  {
    body(kinstr_twin<Recorder>(nullptr));
  }
}

} // namespace kinstr

#endif // KINSTR_DETAIL_TWIN_CUH
