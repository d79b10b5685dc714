// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's body as a function of its recorder, which is in the program several times: for each of
// two recorders between which the block's shape decides, or without marks for blocks that do not
// record. It is one function, inlined with either recorder, so that the kernel's static shared
// memory is there once.
#ifndef KINSTR_DETAIL_BODY_CUH
#define KINSTR_DETAIL_BODY_CUH

#include <kinstr/detail/either.cuh>
#include <kinstr/detail/kernel_recorder.cuh>

namespace kinstr
{
namespace detail
{

/// What stands for the recorder in the body. Which it is, or none, is known once it is inlined.
template <typename Recorder>
class body_recorder
{
  Recorder *recorder_;

public:
  KINSTR_DEVICE explicit body_recorder(Recorder *recorder) : recorder_(recorder) {}
  KINSTR_DEVICE static body_recorder none() { return body_recorder(nullptr); }

  template <typename Body>
  KINSTR_DEVICE static void run(const Body &body)
  {
    Recorder recorder;
    body(body_recorder(&recorder));
  }

  template <std::uint32_t Site>
  KINSTR_DEVICE void kinstr_mark() const
  {
    if (recorder_ != nullptr)
    {
      recorder_->template kinstr_mark<Site>();
    }
  }

  template <std::uint32_t Site, typename T>
  KINSTR_DEVICE void kinstr_value(T v) const
  {
    if (recorder_ != nullptr)
    {
      recorder_->template kinstr_value<Site>(v);
    }
  }
};

/// Of the two, one per body: no mark has to ask.
template <typename If, typename Else, typename Progress>
class body_recorder<kernel_recorder<either<whole_warps, If, Else>, Progress>>
{
  using first  = kernel_recorder<If, Progress>;
  using second = kernel_recorder<Else, Progress>;

  first *first_;
  second *second_;

  KINSTR_DEVICE body_recorder(first *a, second *b) : first_(a), second_(b) {}

public:
  KINSTR_DEVICE static body_recorder none() { return body_recorder(nullptr, nullptr); }

  template <typename Body>
  KINSTR_DEVICE static void run(const Body &body)
  {
    if (whole_warps::holds())
    {
      first recorder;
      body(body_recorder(&recorder, nullptr));
    }
    else
    {
      second recorder;
      body(body_recorder(nullptr, &recorder));
    }
  }

  template <std::uint32_t Site>
  KINSTR_DEVICE void kinstr_mark() const
  {
    if (first_ != nullptr)
    {
      first_->template kinstr_mark<Site>();
    }
    if (second_ != nullptr)
    {
      second_->template kinstr_mark<Site>();
    }
  }

  template <std::uint32_t Site, typename T>
  KINSTR_DEVICE void kinstr_value(T v) const
  {
    if (first_ != nullptr)
    {
      first_->template kinstr_value<Site>(v);
    }
    if (second_ != nullptr)
    {
      second_->template kinstr_value<Site>(v);
    }
  }
};

/// Whether this block records. Of a block all warps run the same body: instructions such as wgmma
/// are of several warps together.
KINSTR_DEVICE bool block_records()
{
  const bool records =
      state.recording == record_samples ? is_block_sampled() : state.recording != record_nothing;
  return asked_by_lane_0(records);
}

} // namespace detail

template <typename Recorder>
using kinstr_body_recorder = detail::body_recorder<Recorder>;

template <typename Recorder, typename Body>
KINSTR_DEVICE void kinstr_run(const Body &body)
{
  detail::body_recorder<Recorder>::run(body);
}

template <typename Recorder, typename Body>
KINSTR_DEVICE void kinstr_run_twin(const Body &body)
{
  if (detail::block_records())
  {
    detail::body_recorder<Recorder>::run(body);
  }
  else
  {
    body(detail::body_recorder<Recorder>::none());
  }
}

} // namespace kinstr

#endif // KINSTR_DETAIL_BODY_CUH
