// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
#include "rewrite/Plan.h"

#include "kinstr/record.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace kinstr {

/// Static shared memory that every device grants without being asked [bytes].
static constexpr std::uint64_t SharedLimit = 48 * 1024;

/// Shared memory the recorder adds [bytes]; the most it can be where the number
/// of threads depends on template parameters.
static std::uint64_t sharedBytes(const KernelPlan &P, unsigned Threads) {
  std::uint64_t PerWarp = P.Events == Layout::Slots
                              ? P.Sites.size() + 1
                              : shared_stream_events * event_words;
  if (P.Flow == Lockstep::Divergent)
    PerWarp += divergent_counter_words;
  return 4 * (anchor_word_count + (Threads + 31) / 32 * PerWarp);
}

static void chooseBuffer(const BoundKernel &K, std::optional<Buffer> Asked,
                         KernelPlan &P, Diagnostics &Diags) {
  std::uint64_t Needed = sharedBytes(P, K.MaxThreads) + K.StaticShared;
  if (Asked) {
    P.Where = *Asked;
    P.KeepAlignment = P.Where == Buffer::Shared && K.DynamicShared.has_value();
    if (P.Where == Buffer::Shared && Needed > SharedLimit)
      Diags.warning(K.NameAt,
                    "the buffer and the kernel's own static shared memory "
                    "need " +
                        utostr(Needed) + " bytes, more than " +
                        utostr(SharedLimit) + "; use 'buffer=global'");
    return;
  }
  P.KeepAlignment = false;
  P.Where = Buffer::Shared;
  if (K.DynamicShared) {
    P.Where = Buffer::Global;
    Diags.remark(K.NameAt, "'" + P.Name +
                               "' records to global memory: a shared "
                               "buffer would move its dynamic shared "
                               "memory");
    Diags.note(K.DynamicShared->Offset, K.DynamicShared->Text);
    Diags.note(K.NameAt,
               "'@kernel buffer=shared' keeps events in shared memory "
               "all the same, in a multiple of 1024 bytes, so that "
               "the dynamic part stays aligned");
  } else if (Needed > SharedLimit) {
    P.Where = Buffer::Global;
    Diags.remark(K.NameAt, "'" + P.Name +
                               "' records to global memory: with the "
                               "buffer it would need " +
                               utostr(Needed) +
                               " bytes of static shared memory, more than " +
                               utostr(SharedLimit));
  }
}

/// What annotations of one kernel may not say together.
static void checkSites(const BoundKernel &K, const ScannedFile &File,
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
      bool IsPhase = Known->Kind == Directive::Phase;
      Diags.error(A.At, "'" + A.Name + "' is already the name of a " +
                            (IsPhase ? "phase" : "mark") + " in '" + K.Name +
                            "'");
      Diags.note(Known->At, "first used here");
    }
    if (!Known)
      Known = &A;
  }
}

static KernelPlan planKernel(const BoundKernel &K, const ScannedFile &File,
                             std::optional<Buffer> Asked, Diagnostics &Diags) {
  KernelPlan P;
  P.Name = K.Name;
  P.Line = K.Line;
  P.BodyBegin = K.Body.Begin;
  P.Threads = K.Threads;
  P.Sites = K.Sites;
  P.Flow = K.Divergence      ? Lockstep::Divergent
           : K.NeedsWarpRows ? Lockstep::WarpRows
                             : Lockstep::Uniform;
  bool Repeats =
      K.HasGoto || any_of(K.Sites, [](const Site &S) { return S.InLoop; });
  P.Events = Repeats || K.Sites.size() + 1 > max_slots ? Layout::Stream
                                                       : Layout::Slots;
  if (K.KernelAnnotation) {
    const Annotation &A = File.Annotations[*K.KernelAnnotation];
    if (!A.Name.empty())
      P.Name = A.Name;
    if (A.KernelBuffer)
      Asked = A.KernelBuffer;
  }
  if (K.Divergence) {
    Diags.remark(K.NameAt, "'" + P.Name +
                               "' takes the recorder for divergent warps, "
                               "which costs more");
    Diags.note(K.Divergence->Offset, K.Divergence->Text);
  }
  chooseBuffer(K, Asked, P, Diags);
  return P;
}

Plan plan(BoundFile Bound, const ScannedFile &File, std::optional<Buffer> Asked,
          Diagnostics &Diags) {
  Plan Out;
  std::vector<std::optional<unsigned>> NewIndex;
  for (const BoundKernel &K : Bound.Kernels) {
    checkSites(K, File, Diags);
    if (K.Sites.empty()) {
      Diags.warning(K.NameAt, "'" + K.Name +
                                  "' has a '@kernel' but no phase; nothing "
                                  "is recorded");
      NewIndex.push_back(std::nullopt);
      continue;
    }
    NewIndex.push_back(Out.Kernels.size());
    Out.Kernels.push_back(planKernel(K, File, Asked, Diags));
    bool Launched = any_of(Bound.Launches, [&](const BoundLaunch &L) {
      return L.Kernel == NewIndex.size() - 1;
    });
    if (!Launched)
      Diags.remark(K.NameAt,
                   "no launch of '" + K.Name +
                       "' in this file; it is recorded once a launch in a "
                       "rewritten file, or kinstr_start(), has attached");
  }
  if (Out.Kernels.empty())
    return Out;
  for (BoundLaunch &L : Bound.Launches) {
    if (L.Kernel) {
      L.Kernel = NewIndex[*L.Kernel];
      if (!L.Kernel)
        continue;
    }
    Out.Launches.push_back(std::move(L));
  }
  Out.DeviceResets = std::move(Bound.DeviceResets);
  return Out;
}

} // namespace kinstr
