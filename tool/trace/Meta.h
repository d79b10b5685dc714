// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of a trace (docs/trace-format.md, "Meta"): what the JSON section
// says about devices, kernels, sites and launches, checked and in plain data.
#ifndef KINSTR_TRACE_META_H
#define KINSTR_TRACE_META_H

#include "kinstr/record.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kinstr::trace {

using Dim3 = std::array<uint32_t, 3>;

/// What a mark costs, as measured on the device when it was attached: marks
/// apart from each other, in one warp.
struct MarkCost {
  std::string Buffer, Layout; ///< as a kernel's
  double Cycles = 0;
};

/// One that recorded. A trace that was not merged is of one.
struct Process {
  std::string File; ///< of a merged trace: the file that was the process's
  std::string Producer, Program, Options;
  uint64_t Pid = 0;
  int32_t Rank = -1; ///< among those of its job; -1 unknown
  std::string Host;
  std::string BootId; ///< the same for all that share a clock; empty: unknown
  uint64_t StartUnixNs = 0, EndUnixNs = 0;
  bool CutShort = false; ///< its file was, before it was merged

  /// What its times are on: two with the same one share a clock.
  const std::string &clockName() const {
    return BootId.empty() ? Host : BootId;
  }
};

struct Device {
  int32_t Index = 0;    ///< CUDA ordinal
  uint32_t Context = 0; ///< of that GPU; normally there is one
  std::string Name;
  std::string Uuid;              ///< of the GPU; empty: unknown
  std::string ComputeCapability; ///< "9.0"
  uint32_t SmCount = 0;
  uint64_t ClockKhz = 0; ///< nominal, from the driver; 0 unknown
  uint64_t MemoryBytes = 0;
  uint64_t SharedPerSm = 0;    ///< [bytes]
  std::string Driver, Runtime; ///< "13.0"
  uint32_t Regions = 0;
  uint64_t RegionWords = 0;
  /// How long globaltimer shows the same value, as measured likewise; 0 not
  /// known.
  uint32_t TimerStepNs = 0;
  std::vector<MarkCost> MarkCosts; ///< empty: not known

  // Of a merged trace.
  uint32_t Process = 0; ///< position in Meta::Processes
  /// What to add to its globaltimer to get the host's clock. The true time is
  /// that or up to TimeErrorNs later.
  int64_t TimeOffsetNs = 0;
  std::optional<uint64_t> TimeErrorNs; ///< nothing: not known
};

enum class SiteKind : uint8_t {
  Phase,
  Mark,
  End,
  Return,   ///< of a callee
  Entry,    ///< of a callee that may call itself
  Scope,    ///< where one begins
  ScopeEnd, ///< where the innermost one of that name ends
  Value     ///< a number is recorded
};

struct Site {
  SiteKind Kind = SiteKind::Phase;
  std::string Name; ///< empty for End
  uint32_t Line = 0;
  std::string Drain;
  /// The activation it belongs to: 0 the kernel's own, else which of the
  /// kernel's callees.
  uint32_t Callee = 0;
};

struct Kernel {
  std::string Name;
  uint32_t Line = 0;
  std::string Buffer, Layout, Flow;
  /// In source order. Behind the kernel's own stand those of the callees that
  /// recorded in its launches (Launches::Callees).
  std::vector<Site> Sites;
  std::string File;      ///< empty: the module's
  uint32_t OwnSites = 0; ///< how many of Sites are the kernel's own

  bool isValue(uint32_t Site) const {
    return Site < Sites.size() && Sites[Site].Kind == SiteKind::Value;
  }
};

/// A function that is not a kernel and records when one calls it.
struct Callee {
  std::string Name, File; ///< File empty: the module's
  uint32_t Line = 0;
  uint32_t FirstSite = 0; ///< number of its first site in the module
  std::string Flow;
  std::vector<Site> Sites;
};

/// A launch in the source text.
struct LaunchSite {
  uint32_t Line = 0;
  /// -1: the launched kernel carries no annotation, or may be any.
  int32_t Kernel = -1;
  std::string File; ///< empty: the module's
};

/// One rewritten source file.
struct Module {
  uint32_t Abi = 0;
  std::string File;
  std::vector<Kernel> Kernels;
  std::vector<Callee> Callees; ///< by FirstSite
  std::vector<LaunchSite> Launches;

  const std::string &fileOf(const Kernel &K) const {
    return K.File.empty() ? File : K.File;
  }
};

/// A kernel instance the runtime saw launched.
struct Function {
  uint32_t Module = 0;
  int32_t Kernel = -1;
  std::string Name; ///< mangled; empty: unknown
  uint32_t Registers = 0;
  uint64_t StaticShared = 0; ///< [bytes]
  uint64_t LocalBytes = 0;
};

/// A launch call the host saw.
struct HostLaunch {
  uint32_t Device = 0; ///< position in Meta::Devices
  uint32_t Module = 0;
  int32_t Site = -1; ///< -1: unknown
  int32_t Function = -1;
  Dim3 Grid = {0, 0, 0}, Block = {0, 0, 0};
  uint64_t DynamicShared = 0; ///< [bytes]
  uint32_t Stream = 0;
  uint64_t HostUnixNs = 0;
  uint32_t BlocksPerSm = 0; ///< occupancy; 0 unknown
  bool Captured = false;    ///< into a graph
};

/// Which blocks of a grid, warps of a block or SMs recorded: one in Every, or
/// Count from First on.
struct Sample {
  static constexpr uint64_t NoEnd = uint64_t(1) << 32;

  uint32_t Every = 1;
  uint32_t First = 0;
  uint64_t Count = NoEnd;

  bool all() const { return Every == 1 && First == 0 && Count == NoEnd; }
  bool contains(uint64_t I) const {
    return I % Every == 0 && I >= First && I - First < Count;
  }
  /// How many of the first \p Number.
  uint64_t countOf(uint64_t Number) const {
    if (Every > 1)
      return (Number + Every - 1) / Every;
    return Number > First ? std::min(Number - First, Count) : 0;
  }
};

/// The run was asked to record only a part.
struct Sampling {
  Sample Blocks, Warps, Sms;

  bool all() const { return Blocks.all() && Warps.all() && Sms.all(); }
  /// Of \p Number warps of a block that recorded.
  uint32_t warpsOf(uint32_t Number) const {
    uint32_t Chosen = static_cast<uint32_t>(Warps.countOf(Number));
    return Chosen + !Warps.contains(anchor_warp(Number));
  }
};

/// A region that ran out of room.
struct DroppedRegion {
  uint32_t Device = 0, Sm = 0;
  uint64_t Records = 0, Events = 0;
};

struct Totals {
  uint64_t Records = 0, Events = 0, DroppedRecords = 0, DroppedEvents = 0;
};

struct Meta {
  std::string Producer;
  uint32_t Abi = 0;
  std::string Program;
  uint64_t Pid = 0;
  std::string Options; ///< KINSTR_OPTIONS as the runtime read it
  uint64_t StartUnixNs = 0, EndUnixNs = 0;
  std::vector<Process> Processes; ///< at least one
  bool Merged = false;            ///< Processes are the file's
  /// By how much the clocks of hosts may disagree; nothing: not known.
  std::optional<uint64_t> HostClockErrorNs;
  std::string Overflow; ///< "ring", "grow"; else a full arena stayed full
  Sampling Samples;
  std::vector<Device> Devices;
  std::vector<Module> Modules;
  std::vector<Function> Functions;
  std::vector<HostLaunch> Launches; ///< in the order of the calls
  std::vector<DroppedRegion> Dropped;
  Totals Total;
};

/// Parses and checks the meta section. Every index in the result is in range of
/// the table it points into. The error says where in the JSON the fault lies;
/// byte positions in it count from the section's payload.
llvm::Expected<Meta> parseMeta(llvm::StringRef Json);

} // namespace kinstr::trace

#endif // KINSTR_TRACE_META_H
