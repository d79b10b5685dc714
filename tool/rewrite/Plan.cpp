// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/Plan.h"

#include "kinstr/record.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include <limits>

using namespace llvm;

namespace kinstr {

StringRef name(Buffer B) {
  switch (B) {
  case Buffer::Shared:
    return "shared";
  case Buffer::Lanes:
    return "lanes";
  case Buffer::Global:
    return "global";
  case Buffer::Auto:
    break;
  }
  llvm_unreachable("a plan has chosen");
}
StringRef name(Layout L) { return L == Layout::Slots ? "slots" : "stream"; }
StringRef name(Drain D) {
  return D == Drain::None ? "none" : D == Drain::Loads ? "loads" : "stores";
}
StringRef name(Lockstep F) {
  return F == Lockstep::Uniform    ? "uniform"
         : F == Lockstep::WarpRows ? "warprows"
                                   : "divergent";
}
StringRef name(Nesting N) {
  return N == Nesting::Leaf   ? "leaf"
         : N == Nesting::Once ? "once"
                              : "recursive";
}

/// Static shared memory that every device grants without being asked [bytes].
static constexpr std::uint64_t SharedLimit = 48 * 1024;

/// Constant memory of a translation unit [bytes].
static constexpr std::uint64_t ConstantLimit = 64 * 1024;

/// Shared memory the recorder adds [bytes]; the most it can be where the number
/// of threads depends on template parameters.
static std::uint64_t sharedBytes(const KernelPlan &P, unsigned Threads) {
  std::uint64_t PerWarp = P.Events == Layout::Slots
                              ? P.NumSites + 1
                              : shared_stream_events * event_words;
  if (P.Flow == Lockstep::Divergent)
    PerWarp += divergent_counter_words;
  else if (P.Events == Layout::Slots)
    PerWarp += slots_header_words;
  return 4 * (anchor_word_count + (Threads + 31) / 32 * PerWarp);
}

/// Without shared memory: registers. But what loops record goes straight to
/// memory, where nothing has to be copied out now and then, and lanes that part
/// share no register.
static Buffer besidesShared(const KernelPlan &P) {
  return P.Events == Layout::Slots && P.Flow != Lockstep::Divergent
             ? Buffer::Lanes
             : Buffer::Global;
}

/// Why events cannot wait in shared memory, if so: a sentence's end.
static std::optional<std::string> whyNotShared(const BoundFunction &K,
                                               std::uint64_t Needed) {
  if (K.Kind == Role::Root)
    return "the shared memory of the kernel it belongs to is not in sight";
  if (K.DynamicShared)
    return "a shared buffer would move its dynamic shared memory";
  if (Needed > SharedLimit)
    return "with a shared buffer it would need " + utostr(Needed) +
           " bytes of static shared memory, more than " + utostr(SharedLimit);
  return std::nullopt;
}

/// The one buffer in which no event waits.
static void writeThrough(const BoundFunction &K, std::optional<Buffer> Asked,
                         KernelPlan &P, Diagnostics &Diags) {
  P.Where = Buffer::Global;
  if (Asked && *Asked != Buffer::Global)
    Diags.remark(K.NameAt, "'" + P.Name +
                               "' records to global memory: with "
                               "--write-through no event waits in 'buffer=" +
                               name(*Asked).str() + "'");
}

static void chooseBuffer(const BoundFunction &K, BufferRequest Request,
                         KernelPlan &P, Diagnostics &Diags) {
  std::optional<Buffer> Asked = Request.Named;
  if (Asked == Buffer::Auto)
    Asked.reset();
  P.KeepAlignment = false;
  if (Request.WriteThrough)
    return writeThrough(K, Asked, P, Diags);
  std::uint64_t Needed = sharedBytes(P, K.MaxThreads) + K.StaticShared;
  if (Asked) {
    P.Where = *Asked;
    if (P.Where != Buffer::Shared)
      return;
    P.KeepAlignment = K.DynamicShared.has_value();
    if (Needed > SharedLimit)
      Diags.warning(K.NameAt,
                    "the buffer and the kernel's own static shared memory "
                    "need " +
                        utostr(Needed) + " bytes, more than " +
                        utostr(SharedLimit) +
                        "; use 'buffer=" + name(besidesShared(P)).str() + "'");
    return;
  }
  P.Where = Buffer::Shared;
  std::optional<std::string> Why = whyNotShared(K, Needed);
  if (!Why)
    return;
  P.Where = besidesShared(P);
  Diags.remark(K.NameAt,
               "'" + P.Name + "' records to " +
                   (P.Where == Buffer::Lanes ? "registers" : "global memory") +
                   ": " + *Why);
  if (K.DynamicShared) {
    Diags.note(K.DynamicShared->Offset, K.DynamicShared->Text);
    Diags.note(K.NameAt,
               "'@kernel buffer=shared' keeps events in shared memory "
               "all the same, in a multiple of 1024 bytes, so that "
               "the dynamic part stays aligned");
  }
}

/// What annotations of one function may not say together.
static void checkSites(const BoundFunction &K, const ScannedFile &File,
                       Diagnostics &Diags) {
  bool Opened = false;
  StringMap<const Annotation *> Named;
  for (const Site &S : K.Sites) {
    const Annotation &A = File.Annotations[S.Annotation];
    if (A.Kind == Directive::End && !Opened)
      Diags.error(A.At, "'@end' without a '@phase' before it").Fix =
          FixIt{A.Begin, A.End, ""};
    Opened |= A.Kind == Directive::Phase;
    if (A.Kind == Directive::End)
      continue;
    const Annotation *&Known = Named[A.Name];
    if (Known && Known->Kind != A.Kind) {
      Diags.error(A.At, "'" + A.Name + "' is already the name of a " +
                            kindName(Known->Kind).str() + " in '" + K.Name +
                            "'");
      Diags.note(Known->At, "first used here");
    }
    if (!Known)
      Known = &A;
  }
}

StringRef kindName(Directive D) {
  switch (D) {
  case Directive::Phase:
    return "phase";
  case Directive::Mark:
    return "mark";
  case Directive::End:
    return "end";
  case Directive::Scope:
    return "scope";
  case Directive::Value:
    return "value";
  case Directive::Kernel:
    break;
  }
  llvm_unreachable("not recorded");
}

/// Numbers sites and the ends of scopes in the order of the text, which nests.
/// Returns how many there are.
static unsigned numberSites(MutableArrayRef<Site> Sites) {
  unsigned Next = 0;
  SmallVector<Site *, 4> Open;
  auto CloseUpTo = [&](unsigned Offset) {
    while (!Open.empty() && *Open.back()->ScopeEnd <= Offset)
      Open.pop_back_val()->EndNumber = Next++;
  };
  for (Site &S : Sites) {
    CloseUpTo(S.Insert);
    S.Number = Next++;
    if (S.ScopeEnd)
      Open.push_back(&S);
  }
  CloseUpTo(std::numeric_limits<unsigned>::max());
  return Next;
}

/// Slots have no room for numbers.
static Layout layoutOf(const BoundFunction &F, unsigned NumSites,
                       const ScannedFile &File) {
  bool NeedsStream = any_of(F.Sites, [&](const Site &S) {
    return S.InLoop || File.Annotations[S.Annotation].Kind == Directive::Value;
  });
  return F.HasGoto || NeedsStream || NumSites + 1 > max_slots ? Layout::Stream
                                                              : Layout::Slots;
}

static Lockstep lockstepOf(const BoundFunction &F) {
  return F.Divergence      ? Lockstep::Divergent
         : F.NeedsWarpRows ? Lockstep::WarpRows
                           : Lockstep::Uniform;
}

static void remarkOnDivergence(const BoundFunction &F, StringRef Name,
                               Diagnostics &Diags) {
  if (!F.Divergence)
    return;
  Diags.remark(F.NameAt, ("'" + Name +
                          "' takes the recorder for divergent warps, "
                          "which costs more")
                             .str());
  Diags.note(F.Divergence->Offset, F.Divergence->Text);
}

static void remarkOnWaysOut(const BoundFunction &F, Diagnostics &Diags) {
  if (F.Quits)
    Diags.remark(F.Quits->Offset, F.Quits->Text);
}

static void remarkOnLoads(const BoundFunction &F, const ScannedFile &File,
                          Diagnostics &Diags) {
  for (const LateLoad &L : F.LateLoads) {
    StringRef Phase = File.Annotations[L.Phase].Name;
    Diags.remark(L.At, ("nothing in phase '" + Phase + "' uses '" + L.Variable +
                        "'; the wait for it is charged to phase '" +
                        File.Annotations[L.User].Name + "'")
                           .str());
    Diags.note(File.Annotations[L.Next].At,
               ("'drain' here charges it to '" + Phase +
                "', but ends the overlap with what follows")
                   .str());
  }
}

/// A '@kernel' function may return something: its body stays in its place.
static Body copiesOf(const BoundFunction &F, const KernelPlan &P, bool Twin,
                     Diagnostics &Diags) {
  if (F.Kind != Role::Kernel)
    return Body::Once;
  if (F.OnceOnly) {
    if (Twin) {
      Diags.remark(F.NameAt, "'" + P.Name + "' gets no twin");
      Diags.note(F.OnceOnly->Offset, F.OnceOnly->Text);
    }
    return Body::Once;
  }
  if (Twin)
    return Body::Twin;
  return P.Where == Buffer::Lanes && P.Flow == Lockstep::Uniform
             ? Body::PerRecorder
             : Body::Once;
}

static KernelPlan planKernel(const BoundFunction &F, const ScannedFile &File,
                             const PlanOptions &Options, Diagnostics &Diags) {
  BufferRequest Asked = Options.Buffers;
  KernelPlan P;
  P.Name = F.Name;
  P.RuntimeName = F.RuntimeName;
  P.NameAt = F.NameAt;
  P.BodyBegin = F.Body.Begin;
  P.BodyEnd = F.Body.End;
  P.Threads = F.Threads;
  P.Sites = F.Sites;
  P.NumSites = numberSites(P.Sites);
  P.Flow = lockstepOf(F);
  P.Events = layoutOf(F, P.NumSites, File);
  if (F.KernelAnnotation) {
    const Annotation &A = File.Annotations[*F.KernelAnnotation];
    if (!A.Name.empty())
      P.Name = A.Name;
    if (A.KernelBuffer)
      Asked.Named = A.KernelBuffer;
    if (A.LanesStayTogether)
      P.Flow = Lockstep::Uniform;
  }
  if (P.Flow == Lockstep::Divergent)
    remarkOnDivergence(F, P.Name, Diags);
  remarkOnWaysOut(F, Diags);
  remarkOnLoads(F, File, Diags);
  chooseBuffer(F, Asked, P, Diags);
  P.Copies = copiesOf(F, P, Options.Twin, Diags);
  return P;
}

static CalleePlan planCallee(const BoundFunction &F, unsigned FirstSite,
                             Diagnostics &Diags) {
  CalleePlan P;
  P.Name = F.Name;
  P.NameAt = F.NameAt;
  P.BodyBegin = F.Body.Begin;
  P.FirstSite = FirstSite;
  P.Flow = lockstepOf(F);
  P.Calls = F.Recursive ? Nesting::Recursive
            : F.Leaf    ? Nesting::Leaf
                        : Nesting::Once;
  P.Sites = F.Sites;
  P.NumSites = numberSites(P.Sites);
  remarkOnWaysOut(F, Diags);
  if (F.Reached)
    remarkOnDivergence(F, P.Name, Diags);
  else
    Diags.remark(F.NameAt,
                 "no kernel in sight calls '" + F.Name +
                     "'; what it records is lost unless the kernel that does "
                     "is rewritten, or '@kernel' stands on the function of "
                     "yours that the kernel enters first");
  return P;
}

/// Whether something will record what \p F's annotations ask for.
static bool isUsed(const BoundFunction &F, bool AnyCallee, Diagnostics &Diags) {
  if (!F.Sites.empty() || (AnyCallee && F.Kind != Role::Callee))
    return true;
  Diags.warning(F.NameAt, "'" + F.Name +
                              "' has a '@kernel' but no phase; nothing is "
                              "recorded");
  return false;
}

Plan plan(BoundFile Bound, const ScannedFile &File, const PlanOptions &Options,
          Diagnostics &Diags) {
  Plan Out;
  std::vector<std::optional<unsigned>> NewIndex(Bound.Functions.size());
  bool AnyCallee = any_of(Bound.Functions, [](const BoundFunction &F) {
    return F.Kind == Role::Callee;
  });
  unsigned NextSite = 0;
  for (unsigned I = 0; I < Bound.Functions.size(); ++I) {
    const BoundFunction &F = Bound.Functions[I];
    checkSites(F, File, Diags);
    if (!isUsed(F, AnyCallee, Diags))
      continue;
    if (F.Kind == Role::Callee) {
      Out.Callees.push_back(planCallee(F, NextSite, Diags));
      NextSite += Out.Callees.back().siteCount();
      continue;
    }
    NewIndex[I] = Out.Kernels.size();
    Out.Kernels.push_back(planKernel(F, File, Options, Diags));
    if (!F.Launched) {
      Diags.remark(F.NameAt, "no launch of '" + F.Name +
                                 "' in this file; it is recorded once a "
                                 "rewritten file has launched something");
      Diags.note(F.NameAt, "where none does, run the program with "
                           "KINSTR_OPTIONS=attach=load, or call "
                           "kinstr_start()");
    }
  }
  Out.Includes = std::move(Bound.Includes);
  if (Out.empty())
    return Out;
  if (Bound.ConstantBytes + sizeof(device_state) > ConstantLimit) {
    Out.StateInGlobalMemory = true;
    Diags.remark(0, "this file's __constant__ variables take " +
                        utostr(Bound.ConstantBytes) +
                        " bytes; what the recorder must know is kept in global "
                        "memory, where reading it costs more");
  }
  for (BoundLaunch &L : Bound.Launches) {
    if (L.Kernel) {
      L.Kernel = NewIndex[*L.Kernel];
      if (!L.Kernel)
        continue;
    }
    Out.Launches.push_back(std::move(L));
  }
  Out.DeviceResets = std::move(Bound.DeviceResets);
  Out.DriverLaunches = std::move(Bound.DriverLaunches);
  Out.ContextEnds = std::move(Bound.ContextEnds);
  return Out;
}

} // namespace kinstr
