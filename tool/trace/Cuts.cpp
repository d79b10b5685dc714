// Part of the kinstr project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks for places that no block's records lie around, in a window that moves
// over the part.
#include "trace/Cuts.h"

#include "trace/Fit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CRC.h"
#include <algorithm>

using namespace llvm;

namespace kinstr::trace {

namespace {

/// Some of the words of a piece.
struct Stretch {
  const RegionBytes *Piece = nullptr;
  uint64_t From = 0; ///< in the piece [bytes]
  ArrayRef<uint8_t> Words;
};

/// A record in the window.
struct Seen {
  uint64_t Key = 0; ///< lookupKey()
  uint64_t At = 0;  ///< [bytes]
};

/// Cuts one part.
class Cutter {
public:
  Cutter(const RawTrace &T, Part P, uint64_t Most, Meter &M,
         std::vector<RegionBytes> &Out)
      : T(T), P(P), Most(Most), M(M), Out(Out), Left(bytesOf(P)) {}

  Error run();

private:
  Error load(uint64_t Size);
  void walk();
  std::optional<uint64_t> cleanCut() const;
  Error hand(uint64_t Size);
  Error handStretch(const Stretch &S, uint64_t Size);
  uint64_t reach() const { return std::max<uint64_t>(Most / 16, 4); }

  const RawTrace &T;
  const Part P;
  const uint64_t Most;
  Meter &M;
  std::vector<RegionBytes> &Out;

  uint64_t Left;     ///< from where the window begins [bytes]
  size_t Next = 0;   ///< piece where it begins, and
  uint64_t From = 0; ///< where in it [bytes]
  uint32_t Crc = 0;  ///< of that piece, up to there
  uint32_t Chunk = 0;

  std::unique_ptr<uint8_t[]> Bytes;
  std::vector<Stretch> Window;
  uint64_t Size = 0; ///< of the window [bytes]
  std::vector<Seen> Records;
};

} // namespace

/// Reads the window.
Error Cutter::load(uint64_t Want) {
  Size = std::min(Want, Left);
  Bytes.reset();
  Bytes.reset(new uint8_t[Size]);
  Window.clear();
  uint64_t At = 0, Offset = From;
  for (size_t I = Next; At < Size; ++I, Offset = 0) {
    uint64_t Some = std::min(Size - At, P[I].Size - Offset);
    MutableArrayRef<uint8_t> Words(&Bytes[At], Some);
    if (Error E = T.Bytes->read(P[I].Offset + Offset, Words))
      return E;
    Window.push_back({&P[I], Offset, Words});
    At += Some;
  }
  return Error::success();
}

/// Finds the records in the window. What its end cuts off does not matter.
void Cutter::walk() {
  Records.clear();
  for (const Stretch &S : Window) {
    RecordWalker Walk(S.Words);
    while (std::optional<Record> R = Walk.next())
      Records.push_back(
          {lookupKey(*R), static_cast<uint64_t>(R->address() - &Bytes[0])});
  }
}

/// The last place up to Most, else the first one behind, that no block's
/// records lie around. Records of one block follow one another closely: of
/// those with the same key that are further apart it is another block that has
/// the key, or one that has records in several parts, which later passes see
/// to.
std::optional<uint64_t> Cutter::cleanCut() const {
  std::vector<uint32_t> Order(Records.size());
  for (uint32_t I = 0; I < Order.size(); ++I)
    Order[I] = I;
  llvm::sort(Order, [&](uint32_t A, uint32_t B) {
    return std::pair(Records[A].Key, A) < std::pair(Records[B].Key, B);
  });
  // By record: how many blocks more lie around the place in front of it.
  std::vector<int32_t> Around(Records.size() + 1);
  for (size_t I = 1; I < Order.size(); ++I) {
    const Seen &A = Records[Order[I - 1]], &B = Records[Order[I]];
    if (A.Key != B.Key || B.At - A.At > reach())
      continue;
    ++Around[Order[I - 1] + 1];
    --Around[Order[I] + 1];
  }
  // What comes behind the window may be of a block near its end.
  uint64_t End = Size == Left ? Size : Size - std::min(Size, reach());
  std::optional<uint64_t> Cut;
  int64_t Blocks = 0;
  for (size_t I = 0; I < Records.size() && Records[I].At < End; ++I) {
    Blocks += Around[I];
    uint64_t At = Records[I].At;
    if (Blocks != 0 || At < std::max<uint64_t>(Most / 4, 1))
      continue;
    if (At > Most && Cut)
      break;
    Cut = At;
    if (At > Most)
      break;
  }
  return Cut;
}

Error Cutter::handStretch(const Stretch &S, uint64_t Size) {
  ArrayRef<uint8_t> Words = S.Words.take_front(Size);
  const RegionBytes &Piece = *S.Piece;
  if (S.From == 0) {
    uint8_t Header[sizeof(region_header)];
    if (Error E = T.Bytes->read(Piece.Offset - sizeof(Header), Header))
      return E;
    Crc = crc32(ArrayRef(Header));
  }
  Crc = crc32(Crc, Words);
  RegionBytes R = Piece;
  R.Offset += S.From;
  R.Size = Size;
  R.Chunk = Chunk;
  if (Size != Piece.Size) {
    R.Cut = true;
    R.Crc = crc32(Words);
  }
  Out.push_back(R);
  From = S.From + Size;
  if (From != Piece.Size)
    return Error::success();
  ++Next;
  From = 0;
  return !Piece.Whole || Crc == Piece.Crc
             ? Error::success()
             : badChecksum(Piece.Section, Piece.Crc, Crc);
}

/// Makes a part of that much of the window.
Error Cutter::hand(uint64_t Taken) {
  Left -= Taken;
  M.Done += Taken;
  for (const Stretch &S : Window) {
    uint64_t Some = std::min<uint64_t>(Taken, S.Words.size());
    if (Taken == 0)
      break;
    if (Error E = handStretch(S, Some))
      return E;
    Taken -= Some;
  }
  ++Chunk;
  return Error::success();
}

Error Cutter::run() {
  uint64_t Want = Most + 2 * reach();
  while (Left > Most) {
    if (Error E = load(Want))
      return E;
    walk();
    std::optional<uint64_t> Cut = cleanCut();
    if (!Cut && Size < Left) {
      Want *= 2;
      continue;
    }
    if (Error E = hand(Cut.value_or(Size)))
      return E;
    Want = Most + 2 * reach();
  }
  if (Left != 0) {
    if (Error E = load(Left))
      return E;
    if (Error E = hand(Left))
      return E;
  }
  for (; Next < P.size(); ++Next) { // what has no words
    Out.push_back(P[Next]);
    Out.back().Chunk = Chunk - 1;
  }
  return Error::success();
}

Error cutParts(RawTrace &T, const Watch &W, uint64_t Most) {
  // A warp's record of callees may go on in later replays of its block.
  if (any_of(T.Tables.Modules,
             [](const Module &M) { return !M.Callees.empty(); }))
    return Error::success();
  std::vector<Part> Parts = partsOf(T);
  uint64_t Large = 0;
  for (Part P : Parts)
    if (uint64_t Bytes = bytesOf(P); Bytes > Most)
      Large += Bytes;
  if (Large == 0)
    return Error::success();
  Meter M(Large);
  std::vector<std::vector<RegionBytes>> Cut(Parts.size());
  std::vector<RegionBytes> All;
  if (Error E = inOrder(
          Parts.size(), W, M,
          [&](size_t I) -> Error {
            if (bytesOf(Parts[I]) > Most)
              return Cutter(T, Parts[I], Most, M, Cut[I]).run();
            Cut[I] = Parts[I].vec();
            return Error::success();
          },
          [&](size_t I) {
            append_range(All, std::exchange(Cut[I], {}));
            return Error::success();
          }))
    return E;
  T.Regions = std::move(All);
  return Error::success();
}

} // namespace kinstr::trace
