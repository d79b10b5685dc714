// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a warp's events to spans: what every report is made of. Spans are handed
// to a callback one at a time and never stored here.
#ifndef KINSTR_TRACE_SPANS_H
#define KINSTR_TRACE_SPANS_H

#include "trace/Launches.h"
#include "llvm/ADT/STLExtras.h"

namespace kinstr::trace {

/// A phase of one warp, or a piece of one: the phases of a function that is
/// called lie between two pieces of the caller's.
struct Span {
  uint32_t Site = 0;
  uint64_t Begin = 0, End = 0; ///< [cycles]
  uint64_t Before = 0;         ///< in earlier pieces [cycles]
  bool Interrupted = false;    ///< more pieces follow
  /// The warp left no exit and this is its last phase: it lasted at least till
  /// the warp's last event, which is End.
  bool Open = false;

  uint64_t cycles() const { return End - Begin; }
};

/// The time of one warp: first event to exit, or to its last event.
struct WarpTime {
  uint64_t Begin = 0, End = 0; ///< [cycles]
  uint64_t Paused = 0;         ///< of it in pauses of the recorder [cycles]
  bool Finished = false;       ///< it recorded its exit

  uint64_t cycles() const { return End - Begin; }
};

/// The functions a warp is in, and the phase each is in. A pause interrupts the
/// phase of the innermost function, or is where that phase ends if the event
/// behind the pause ends it.
template <typename SpanFn> class Activations {
public:
  explicit Activations(SpanFn &OnSpan) : OnSpan(OnSpan), Stack(1) {}

  /// Events of callee \p Callee follow, or the kernel's own (0).
  void enter(uint32_t Callee, uint64_t Clock) {
    if (Callee == 0) // whoever is still there left no return
      while (Stack.size() > 1)
        leaveTop(Clock);
    else if (Stack.back().Callee != Callee)
      call(Callee, Clock);
  }
  void call(uint32_t Callee, uint64_t Clock) {
    interrupt(Clock);
    Stack.push_back({Callee, std::nullopt});
  }
  /// Does nothing where no such function is active.
  void leave(uint32_t Callee, uint64_t Clock) {
    auto IsCallee = [&](const Activation &A) { return A.Callee == Callee; };
    if (Callee == 0 || llvm::none_of(Stack, IsCallee))
      return;
    while (!IsCallee(Stack.back()))
      leaveTop(Clock);
    leaveTop(Clock);
  }
  void begin(uint32_t Site, uint64_t Clock) {
    Stack.back().Phase = Span{Site, Clock, Clock};
  }
  /// Ends the phase of the innermost function.
  void end(uint64_t Clock, bool Open = false) {
    if (std::optional<Span> &S = Stack.back().Phase) {
      S->End = endAt(*S, Clock);
      S->Open = Open;
      OnSpan(*S);
    }
    Stack.back().Phase.reset();
  }
  void endAll(uint64_t Clock, bool Open) {
    end(Clock, Open);
    while (Stack.size() > 1) {
      leaveTop(Clock);
      end(Clock, Open);
    }
  }

  /// The recorder is busy from here to the next event.
  void pause(uint64_t Clock) { Pause = Pause.value_or(Clock); }
  /// After each other event. Returns for how long the recorder was busy before.
  uint64_t resume(uint64_t Clock) {
    if (!Pause)
      return 0;
    uint64_t Begin = *Pause;
    if (std::optional<Span> &S = Stack.back().Phase; S && S->Begin < Clock) {
      interrupt(Clock);
      S->Begin = S->End = Clock;
    }
    Pause.reset();
    return Clock - Begin;
  }

private:
  struct Activation {
    uint32_t Callee = 0;
    std::optional<Span> Phase;
  };

  /// When a phase ends that an event at \p Clock ends: where there is a pause
  /// before it, there, if it had begun by then.
  uint64_t endAt(const Span &S, uint64_t Clock) const {
    return Pause ? std::max(S.Begin, *Pause) : Clock;
  }
  void interrupt(uint64_t Clock) {
    if (std::optional<Span> &S = Stack.back().Phase) {
      S->End = endAt(*S, Clock);
      S->Interrupted = true;
      OnSpan(*S);
      S->Before += S->cycles();
      S->Interrupted = false;
    }
  }
  void leaveTop(uint64_t Clock) {
    end(Clock);
    Stack.pop_back();
    if (std::optional<Span> &S = Stack.back().Phase)
      S->Begin = S->End = Clock;
  }

  SpanFn &OnSpan;
  llvm::SmallVector<Activation, 4> Stack;
  std::optional<uint64_t> Pause; ///< when the one began that goes on
};

/// An event of a site of the kernel, or of a callee.
template <typename SpanFn, typename MarkFn>
void passSite(const Event &E, const Site &S, Activations<SpanFn> &Active,
              MarkFn &OnMark) {
  if (S.Kind == SiteKind::Entry)
    return Active.call(S.Callee, E.Clock);
  if (S.Kind == SiteKind::Return)
    return Active.leave(S.Callee, E.Clock);
  Active.enter(S.Callee, E.Clock);
  if (S.Kind == SiteKind::Mark)
    return OnMark(E);
  Active.end(E.Clock);
  if (S.Kind == SiteKind::Phase)
    Active.begin(E.Site, E.Clock);
}

/// Calls \p OnSpan for each phase, or piece of one, and \p OnMark for each
/// instant of a warp's \p Events, in order. Sites the kernel does not have are
/// skipped and counted in \p UnknownSites. A warp without events has no time:
/// all zero; nor is a pause before the first one in it.
template <typename SpanFn, typename MarkFn>
WarpTime forEachSpan(llvm::ArrayRef<Event> Events, const Kernel &K,
                     SpanFn OnSpan, MarkFn OnMark, uint64_t &UnknownSites) {
  WarpTime T;
  Events =
      Events.drop_while([](const Event &E) { return E.Site == pause_site; });
  if (Events.empty())
    return T;
  T.Begin = Events.front().Clock;
  T.End = Events.back().Clock;
  Activations<SpanFn> Active(OnSpan);
  for (const Event &E : Events) {
    if (E.Site == pause_site) {
      Active.pause(E.Clock);
      continue;
    }
    if (E.Site == exit_site) {
      // Lanes may leave one by one; the warp is gone with the last of them.
      T.Finished = &E == &Events.back();
      if (T.Finished)
        Active.endAll(E.Clock, /*Open=*/false);
    } else if (E.Site < K.Sites.size()) {
      passSite(E, K.Sites[E.Site], Active, OnMark);
    } else {
      ++UnknownSites;
    }
    T.Paused += Active.resume(E.Clock);
  }
  Active.endAll(T.End, /*Open=*/!T.Finished);
  return T;
}

} // namespace kinstr::trace

#endif // KINSTR_TRACE_SPANS_H
