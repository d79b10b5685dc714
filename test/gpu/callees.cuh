// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A main loop in a header, as libraries have them.
#pragma once

template <typename T>
struct Mainloop
{
  T factor;

  __device__ T operator()(T v, int steps) const
  {
    // @phase prologue
    v += 1;
    for (int i = 0; i < steps; ++i)
    {
      // @phase iterate
      v = v * factor + i;
    }
    // @end
    return v;
  }
};
