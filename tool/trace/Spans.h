// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a warp's events to spans: what every report is made of. Spans are handed
// to a callback one at a time and never stored here.
#ifndef KINSTR_TRACE_SPANS_H
#define KINSTR_TRACE_SPANS_H

#include "trace/Launches.h"

namespace kinstr::trace {

/// A phase of one warp.
struct Span {
  uint32_t Site = 0;
  uint64_t Begin = 0, End = 0; ///< [cycles]
  /// The warp left no exit and this is its last phase: it lasted at least till
  /// the warp's last event, which is End.
  bool Open = false;

  uint64_t cycles() const { return End - Begin; }
};

/// The time of one warp: first event to exit, or to its last event.
struct WarpTime {
  uint64_t Begin = 0, End = 0; ///< [cycles]
  bool Finished = false;       ///< it recorded its exit

  uint64_t cycles() const { return End - Begin; }
};

/// Calls \p OnSpan for each phase and \p OnMark for each instant of a warp's
/// \p Events, in order. Sites the kernel does not have are skipped and counted
/// in \p UnknownSites. A warp without events has no time: all zero.
template <typename SpanFn, typename MarkFn>
WarpTime forEachSpan(llvm::ArrayRef<Event> Events, const Kernel &K,
                     SpanFn OnSpan, MarkFn OnMark, uint64_t &UnknownSites) {
  WarpTime T;
  if (Events.empty())
    return T;
  T.Begin = Events.front().Clock;
  T.End = Events.back().Clock;
  std::optional<Span> Current;
  auto Close = [&](uint64_t Clock) {
    if (Current) {
      Current->End = Clock;
      OnSpan(*Current);
    }
    Current.reset();
  };
  for (const Event &E : Events) {
    if (E.Site == exit_site) {
      // Lanes may leave one by one; the warp is gone with the last of them.
      if (&E != &Events.back())
        continue;
      Close(E.Clock);
      T.Finished = true;
    } else if (E.Site >= K.Sites.size()) {
      ++UnknownSites;
    } else if (K.Sites[E.Site].Kind == SiteKind::Mark) {
      OnMark(E);
    } else {
      Close(E.Clock);
      if (K.Sites[E.Site].Kind == SiteKind::Phase)
        Current = Span{E.Site, E.Clock, E.Clock, false};
    }
  }
  if (Current) {
    Current->Open = true;
    Close(T.End);
  }
  return T;
}

} // namespace kinstr::trace

#endif // KINSTR_TRACE_SPANS_H
