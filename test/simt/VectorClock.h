// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who knows of whose accesses to shared memory: vector clocks of the threads
// of a block, after C++'s rules for barriers, fences and atomics.
#ifndef KINSTR_TEST_SIMT_VECTORCLOCK_H
#define KINSTR_TEST_SIMT_VECTORCLOCK_H

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace simt {

/// An access: by which thread, in which of its epochs.
struct Moment {
  uint32_t Thread = 0, Epoch = 0;
};

/// By thread, up to which epoch its accesses are known. Null: none are.
using ClockVector = std::shared_ptr<const std::vector<uint32_t>>;

class Knowledge {
public:
  void begin(uint32_t Thread, uint32_t Threads) {
    Me = {Thread, 1};
    Count = Threads;
  }

  Moment moment() const { return Me; }

  /// Whether that access is ordered before what this thread does now.
  bool after(Moment Other) const {
    return Other.Thread == Me.Thread ||
           (Others && (*Others)[Other.Thread] >= Other.Epoch);
  }

  /// A barrier of these threads: each knows what all did before.
  static void exchange(const std::vector<Knowledge *> &Threads) {
    auto All = std::make_shared<std::vector<uint32_t>>(Threads[0]->Count);
    const std::vector<uint32_t> *Last = nullptr;
    for (const Knowledge *K : Threads)
      if (K->Others && K->Others.get() != Last) { // as of those that met before
        Last = K->Others.get();
        include(*All, *Last);
      }
    for (Knowledge *K : Threads) {
      (*All)[K->Me.Thread] = K->Me.Epoch++;
      K->Others = All;
    }
  }

  void fence() {
    if (Acquired)
      Others = joined(Others, Acquired);
    auto Mine = std::make_shared<std::vector<uint32_t>>(Count);
    if (Others)
      *Mine = *Others;
    (*Mine)[Me.Thread] = Me.Epoch++;
    Released = Mine;
  }

  /// Whether an atomic of this thread publishes anything.
  bool releases() const { return Released != nullptr; }

  /// A relaxed atomic read-modify-write of a location: what was released
  /// before the last fence is published, what it finds is known after the next.
  void atomic(ClockVector &Location) {
    Acquired = joined(Acquired, Location);
    Location = joined(Location, Released);
  }

private:
  static void include(std::vector<uint32_t> &To,
                      const std::vector<uint32_t> &From) {
    for (size_t I = 0; I < To.size(); ++I)
      To[I] = std::max(To[I], From[I]);
  }
  static ClockVector joined(const ClockVector &A, const ClockVector &B) {
    if (!A || !B || A == B)
      return A ? A : B;
    auto Both = std::make_shared<std::vector<uint32_t>>(*A);
    include(*Both, *B);
    return Both;
  }

  Moment Me;
  uint32_t Count = 0;
  ClockVector Others, Acquired, Released;
};

} // namespace simt

#endif // KINSTR_TEST_SIMT_VECTORCLOCK_H
