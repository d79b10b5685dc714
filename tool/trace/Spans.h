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

/// A statement of one warp that the user named, from its begin to its end: all
/// of it, also what phases and other scopes took in it.
struct ScopeSpan {
  uint32_t Site = 0;
  uint64_t Begin = 0, End = 0; ///< [cycles]
  uint64_t Paused = 0;         ///< of it in pauses of the recorder [cycles]
  uint32_t Depth = 0;          ///< in how many other scopes it lies
  /// The warp left no exit while it was in it: it lasted at least till the
  /// warp's last event, which is End.
  bool Open = false;

  uint64_t cycles() const { return End - Begin - Paused; }
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

  /// How many functions the warp is in, the kernel among them.
  size_t depth() const { return Stack.size(); }

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

  /// Where the time before an event at \p Clock ends that is not the
  /// recorder's.
  uint64_t busyFrom(uint64_t Clock) const { return Pause.value_or(Clock); }

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

/// The scopes a warp is in.
template <typename ScopeFn> class OpenScopes {
public:
  explicit OpenScopes(ScopeFn &OnScope) : OnScope(OnScope) {}

  /// In a function at \p Depth (Activations::depth()). \p Paused: all of the
  /// warp's pauses until then.
  void begin(uint32_t Site, uint64_t Clock, size_t Depth, uint64_t Paused) {
    ScopeSpan S;
    S.Site = Site;
    S.Begin = Clock;
    S.Depth = static_cast<uint32_t>(Stack.size());
    Stack.push_back({S, Depth, Paused});
  }
  /// The innermost one that \p Is, and those in it, whose ends were lost.
  template <typename Predicate>
  void end(uint64_t Clock, uint64_t Paused, Predicate Is) {
    auto It = llvm::find_if(llvm::reverse(Stack), [&](const Entered &E) {
      return Is(E.Scope.Site, E.Depth);
    });
    if (It != Stack.rend())
      endFrom(It.base() - Stack.begin() - 1, Clock, Paused, /*Open=*/false);
  }
  /// Those of functions that were left.
  void leave(size_t Depth, uint64_t Clock, uint64_t Paused) {
    size_t Stay = Stack.size();
    while (Stay > 0 && Stack[Stay - 1].Depth > Depth)
      --Stay;
    endFrom(Stay, Clock, Paused, /*Open=*/false);
  }
  void endFrom(size_t First, uint64_t Clock, uint64_t Paused, bool Open) {
    while (Stack.size() > First) {
      Entered E = Stack.pop_back_val();
      E.Scope.End = std::max(E.Scope.Begin, Clock);
      E.Scope.Paused = Paused - E.Paused;
      E.Scope.Open = Open;
      OnScope(E.Scope);
    }
  }

private:
  struct Entered {
    ScopeSpan Scope;
    size_t Depth;    ///< of its function
    uint64_t Paused; ///< before it
  };

  ScopeFn &OnScope;
  llvm::SmallVector<Entered, 4> Stack;
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
  if (S.Kind == SiteKind::Phase || S.Kind == SiteKind::End)
    Active.end(E.Clock);
  if (S.Kind == SiteKind::Phase)
    Active.begin(E.Site, E.Clock);
}

/// What that means to scopes. \p Paused: all of the warp's pauses before that
/// event.
template <typename SpanFn, typename ScopeFn>
void passScopes(const Event &E, const Kernel &K,
                const Activations<SpanFn> &Active, uint64_t Paused,
                OpenScopes<ScopeFn> &Scopes) {
  const Site &S = K.Sites[E.Site];
  uint64_t Busy = Active.busyFrom(E.Clock);
  Scopes.leave(Active.depth(), Busy, Paused);
  if (S.Kind == SiteKind::Scope)
    Scopes.begin(E.Site, E.Clock, Active.depth(), Paused + E.Clock - Busy);
  if (S.Kind == SiteKind::ScopeEnd)
    Scopes.end(Busy, Paused, [&](uint32_t Site, size_t Depth) {
      return Depth == Active.depth() && K.Sites[Site].Name == S.Name;
    });
}

/// Calls \p OnSpan for each phase, or piece of one, \p OnScope for each scope
/// and \p OnMark for each instant of a warp's \p Events, as they end. Sites the
/// kernel does not have are skipped and counted in \p UnknownSites. A warp
/// without events has no time: all zero; nor is a pause before the first one in
/// it.
template <typename SpanFn, typename ScopeFn, typename MarkFn>
WarpTime forEachSpan(llvm::ArrayRef<Event> Events, const Kernel &K,
                     SpanFn OnSpan, ScopeFn OnScope, MarkFn OnMark,
                     uint64_t &UnknownSites) {
  WarpTime T;
  Events =
      Events.drop_while([](const Event &E) { return E.Site == pause_site; });
  if (Events.empty())
    return T;
  T.Begin = Events.front().Clock;
  T.End = Events.back().Clock;
  Activations<SpanFn> Active(OnSpan);
  OpenScopes<ScopeFn> Scopes(OnScope);
  for (const Event &E : Events) {
    if (E.Site == pause_site) {
      Active.pause(E.Clock);
      continue;
    }
    if (E.Site == exit_site) {
      // Lanes may leave one by one; the warp is gone with the last of them.
      T.Finished = &E == &Events.back();
      if (T.Finished) {
        Scopes.endFrom(0, Active.busyFrom(E.Clock), T.Paused, /*Open=*/false);
        Active.endAll(E.Clock, /*Open=*/false);
      }
    } else if (E.Site < K.Sites.size()) {
      passSite(E, K.Sites[E.Site], Active, OnMark);
      passScopes(E, K, Active, T.Paused, Scopes);
    } else {
      ++UnknownSites;
    }
    T.Paused += Active.resume(E.Clock);
  }
  Scopes.endFrom(0, Active.busyFrom(T.End), T.Paused, /*Open=*/!T.Finished);
  Active.endAll(T.End, /*Open=*/!T.Finished);
  return T;
}

} // namespace kinstr::trace

#endif // KINSTR_TRACE_SPANS_H
