// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes the words of records and anchors.
#include "trace/Records.h"

using llvm::support::endian::read32le;

namespace kinstr::trace {

StoredEvent Record::event(uint32_t I) const {
  uint64_t At = payload_begin(tag()) + uint64_t(I) * event_words;
  uint32_t Low = word(At), High = word(At + 1);
  return {uint64_t(High >> 16) << 32 | Low, High & 0xFFFF, (Low | High) != 0};
}

std::optional<Number> StoredEvent::number() const {
  uint64_t Type = Clock48 >> 32;
  if (!isNumber() || Type > static_cast<uint64_t>(number_type::floating_point))
    return std::nullopt;
  return Number{static_cast<number_type>(Type), static_cast<uint32_t>(Clock48)};
}

Anchor Record::anchor() const {
  const uint32_t First = anchor_begin(tag());
  auto At = [&](size_t Offset) { return word(First + Offset / 4); };
  auto Wide = [&](size_t Offset) { return word64(First + Offset / 4); };
  Anchor A;
  A.GridId = Wide(offsetof(anchor_words, grid_id));
  A.Module = At(offsetof(anchor_words, kernel)) >> 16;
  A.Kernel = At(offsetof(anchor_words, kernel)) & 0xFFFF;
  A.SmStart = At(offsetof(anchor_words, smid)) & 0xFFFF;
  A.SmEnd = At(offsetof(anchor_words, smid)) >> 16;
  A.GlobalStart = Wide(offsetof(anchor_words, globaltimer_start));
  A.ClockStart = Wide(offsetof(anchor_words, clock_start));
  A.GlobalEnd = Wide(offsetof(anchor_words, globaltimer_end));
  A.ClockEnd = Wide(offsetof(anchor_words, clock_end));
  for (size_t I = 0; I < 3; ++I)
    A.Grid[I] = At(offsetof(anchor_words, grid_dim) + 4 * I);
  uint32_t Block = At(offsetof(anchor_words, block_dim));
  A.Block[0] = Block & 0x7FF;
  A.Block[1] = Block >> 11 & 0x7FF;
  A.Block[2] = Block >> 22;
  A.DynamicShared = At(offsetof(anchor_words, dynamic_shared));
  uint32_t Cluster = At(offsetof(anchor_words, cluster_dim));
  A.Cluster[0] = Cluster & 0xFF;
  A.Cluster[1] = Cluster >> 8 & 0xFF;
  A.Cluster[2] = Cluster >> 16 & 0xFF;
  return A;
}

std::optional<ClockPair> Record::clocks() const {
  record_tag T = tag();
  if (!T.stream || T.words != clock_pair_words)
    return std::nullopt;
  uint64_t At = payload_end(T, record_words(T, word(2)));
  ClockPair P{word64(At), word64(At + 2)};
  if (P.Global == 0)
    return std::nullopt;
  return P;
}

std::optional<Record> RecordWalker::next() {
  while (!Damage && Pos + 4 <= Words.size()) {
    const uint8_t *At = Words.data() + Pos;
    uint32_t Tag = read32le(At);
    if (Tag == 0) { // reserved and never written
      Pos += 4;
      continue;
    }
    uint64_t Left = (Words.size() - Pos) / 4;
    uint64_t Need = record_words(Tag, Left > 2 ? read32le(At + 8) : 0);
    if (Need == 0 || Need > Left) {
      Damage = Pos;
      // Without its third word a stream record does not say how long it is.
      CutOff = Need > Left || (Left <= 2 && (Tag & 1) != 0);
      break;
    }
    Pos += 4 * Need;
    return Record(At);
  }
  return std::nullopt;
}

} // namespace kinstr::trace
