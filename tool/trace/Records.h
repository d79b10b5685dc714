// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records as they lie in a region: the words of one warp, not yet placed.
#ifndef KINSTR_TRACE_RECORDS_H
#define KINSTR_TRACE_RECORDS_H

#include "trace/Number.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Endian.h"
#include <optional>

namespace kinstr::trace {

/// The words of an anchor, decoded.
struct Anchor {
  uint64_t GridId = 0;
  uint16_t Module = 0, Kernel = 0;
  uint16_t SmStart = 0, SmEnd = 0;
  uint64_t GlobalStart = 0, ClockStart = 0; ///< [ns], [cycles]
  uint64_t GlobalEnd = 0, ClockEnd = 0;     ///< 0: never got there
  uint32_t Grid[3] = {}, Block[3] = {}, Cluster[3] = {};
  uint32_t DynamicShared = 0; ///< [bytes]
};

/// One event of a stream record as stored: 48 bits of clock and a site, or the
/// number of the event behind.
struct StoredEvent {
  uint64_t Clock48 = 0;
  uint32_t Site = 0;
  bool Written = false;

  bool isOfUser() const {
    return Written && Site != pause_site && Site != number_site;
  }
  bool isNumber() const { return Written && Site == number_site; }
  bool hasClock() const { return Written && Site != number_site; }
  /// Which; nothing where it is of no type there is.
  std::optional<Number> number() const;
};

/// Both clocks, read in the middle of a block.
struct ClockPair {
  uint64_t Global = 0, Clock = 0; ///< [ns], [cycles]
};

/// A view of one record whose words were checked to lie inside the region. A
/// pointer wide, valid as long as the file's bytes.
class Record {
public:
  explicit Record(const uint8_t *Base) : Base(Base) {}

  /// Where it lies; records of a region ascend in the order of reservation.
  const uint8_t *address() const { return Base; }

  record_tag tag() const { return unpack_tag(word(0)); }
  uint32_t block() const { return word(1); }

  /// Slots, or events, that the record has room for.
  uint32_t size() const {
    record_tag T = tag();
    return T.stream ? unpack_stream_count(word(2)).events
                    : payload_end(T, T.words) - payload_begin(T);
  }
  /// The module whose callees' sites the events name, or kernel_events.
  int calleeModule() const {
    return tag().stream ? unpack_stream_count(word(2)).callee_module
                        : kernel_events;
  }
  uint32_t slot(uint32_t I) const { return word(payload_begin(tag()) + I); }
  StoredEvent event(uint32_t I) const;
  /// Where the next one may lie.
  const uint8_t *end() const {
    record_tag T = tag();
    return Base + 4 * uint64_t(record_words(T, T.stream ? word(2) : 0));
  }
  Anchor anchor() const; ///< only where tag().anchor
  /// Where the record ends with one that was written.
  std::optional<ClockPair> clocks() const;

private:
  uint32_t word(uint64_t I) const {
    return llvm::support::endian::read32le(Base + 4 * I);
  }
  uint64_t word64(uint64_t I) const {
    return uint64_t(word(I + 1)) << 32 | word(I);
  }

  const uint8_t *Base;
};

/// Walks the records of a region from its first word.
class RecordWalker {
public:
  explicit RecordWalker(llvm::ArrayRef<uint8_t> Words) : Words(Words) {}

  /// The next record; nothing at the end of the region, or at damage.
  std::optional<Record> next();

  /// Where the walk met something that is no record [bytes from the region's
  /// first word]. What follows cannot be read: no record says where it starts.
  std::optional<uint64_t> damage() const { return Damage; }
  /// Whether that is a record whose end is missing.
  bool cutOff() const { return CutOff; }

private:
  llvm::ArrayRef<uint8_t> Words;
  uint64_t Pos = 0; ///< [bytes]
  std::optional<uint64_t> Damage;
  bool CutOff = false;
};

} // namespace kinstr::trace

#endif // KINSTR_TRACE_RECORDS_H
