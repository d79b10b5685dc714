// Part of the kinstr project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The binary layout of what a kernel records and of the file it ends up in. Written down once:
// the device header writes it, the host runtime copies it, tool/trace reads it.
// docs/trace-format.md describes the same layout in prose; change both together.
#ifndef KINSTR_RECORD_H
#define KINSTR_RECORD_H

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#  define KINSTR_HD __host__ __device__
#else
#  define KINSTR_HD
#endif

namespace kinstr
{

/// Changes whenever rewritten sources, runtime or reader could no longer be mixed.
constexpr std::uint32_t abi_version = 6;

//===----------------------------------------------------------------------===//
// Records: sequences of 32-bit words in the region of one SM.
//
//   slots record:   tag, block, slot 0 .. slot N-1, [anchor]
//   stream record:  tag, block, count, [anchor], event 0 .. event count-1, [clock pair]
//
// A region is walked from its first word. A word of zero where a tag is expected was reserved and
// never written: skip that one word. Every tag is odd, so no record starts with a zero word.
//===----------------------------------------------------------------------===//

/// Word 0 of a record, packed.
///   bit  0      1
///   bit  1      has an anchor: behind the slots, or in front of the events
///   bit  2      stream record (otherwise slots)
///   bits 3-7    warp's index in its block, 0..31
///   bits 8-15   slots record: length of the whole record in words. Stream record: length of what
///               stands behind its events, a clock pair or nothing
///   bits 16-31  low 16 bits of %gridid, the launch
struct record_tag
{
  bool anchor;
  bool stream;
  std::uint32_t warp;
  std::uint32_t words;
  std::uint32_t grid_id_low16;
};

KINSTR_HD constexpr std::uint32_t pack_tag(record_tag t)
{
  // Sums, which a GPU shifts and adds in one instruction. The shift drops what is above 16 bits.
  return (1u + (t.anchor ? 2u : 0u) + (t.stream ? 4u : 0u) + (t.words << 8)) + (t.warp << 3) +
         (t.grid_id_low16 << 16);
}

KINSTR_HD constexpr record_tag unpack_tag(std::uint32_t w)
{
  return {(w & 2u) != 0, (w & 4u) != 0, (w >> 3) & 31u, (w >> 8) & 255u, w >> 16};
}

constexpr std::uint32_t slots_header_words  = 2; ///< tag, block
constexpr std::uint32_t stream_header_words = 3; ///< tag, block, stream_count
constexpr std::uint32_t event_words         = 2; ///< one event of a stream record

/// Word 2 of a stream record, packed.
///   bits 0-15   count of events that follow
///   bits 16-31  0: the events name sites of the kernel. Else 1 + index of the module whose
///   functions
///               other than kernels they name sites of: the kernel called them. In the order in
///               which the warp passed them, from any number of activations
struct stream_count
{
  std::uint32_t events;
  int callee_module; ///< or kernel_events
};

constexpr int kernel_events = -1;

KINSTR_HD constexpr std::uint32_t pack_stream_count(stream_count c)
{
  return c.events | static_cast<std::uint32_t>(c.callee_module + 1) << 16;
}

KINSTR_HD constexpr stream_count unpack_stream_count(std::uint32_t w)
{
  return {w & 0xFFFFu, static_cast<int>(w >> 16) - 1};
}

/// Most slots a slots record can hold: with header and anchor it stays below 256 words.
constexpr std::uint32_t max_slots = 64;

/// What a warp keeps in shared memory under buffer `shared`, besides one slot a site: the events of
/// a stream, the last of which is a pause's, and for divergent flow its counters (lanes inside,
/// events, whether it records; an even number, so that events lie on 8 bytes).
constexpr std::uint32_t shared_stream_events    = 32;
constexpr std::uint32_t divergent_counter_words = 4;

/// What one warp of each block, anchor_warp(), adds to its record: who the block is, and two
/// readings of both clocks. 64-bit values are split so that the struct needs no more than 4-byte
/// alignment.
struct anchor_words
{
  std::uint32_t grid_id[2];           ///< %gridid, low word first; same in all blocks of a launch
  std::uint32_t kernel;               ///< module index << 16 | kernel index in the module
  std::uint32_t smid;                 ///< %smid at the start | %smid at the end << 16
  std::uint32_t globaltimer_start[2]; ///< %globaltimer [ns]
  std::uint32_t clock_start[2];       ///< %clock64 [cycles of this SM]
  std::uint32_t globaltimer_end[2];   ///< 0: the block never reached its end
  std::uint32_t clock_end[2];
  std::uint32_t grid_dim[3];
  std::uint32_t block_dim;      ///< x | y << 11 | z << 22
  std::uint32_t dynamic_shared; ///< [bytes]
  std::uint32_t cluster_dim;    ///< x | y << 8 | z << 16; 0 where the architecture has none
};

constexpr std::uint32_t anchor_word_count = sizeof(anchor_words) / 4;
static_assert(sizeof(anchor_words) == 72, "the reader and the recorder disagree");

KINSTR_HD constexpr std::uint32_t anchor_words_in(record_tag t)
{
  return t.anchor ? anchor_word_count : 0;
}

/// A reading of both clocks in the middle of a block, in words: %globaltimer [ns], then %clock64
/// [cycles of this SM], low words first. The warp with the anchor adds one to the records in
/// between, so that a clock whose rate changes can be followed; all 0: not written.
constexpr std::uint32_t clock_pair_words = 4;

/// Where the slots or events of a record begin.
KINSTR_HD constexpr std::uint32_t payload_begin(record_tag t)
{
  return t.stream ? stream_header_words + anchor_words_in(t) : slots_header_words;
}

/// Where those of a record of `words` words end.
KINSTR_HD constexpr std::uint32_t payload_end(record_tag t, std::uint32_t words)
{
  return words - (t.stream ? t.words : anchor_words_in(t));
}

/// Where its anchor begins, if it has one.
KINSTR_HD constexpr std::uint32_t anchor_begin(record_tag t)
{
  return t.stream ? stream_header_words : t.words - anchor_word_count;
}

/// Length of the record that begins with these words (of a slots record, word 2 does not matter);
/// 0: no record does.
KINSTR_HD constexpr std::uint32_t record_words(record_tag t, std::uint32_t word2)
{
  return !t.stream ? (t.words > payload_begin(t) + anchor_words_in(t) ? t.words : 0)
         : t.words == 0 || t.words == clock_pair_words
             ? payload_begin(t) + unpack_stream_count(word2).events * event_words + t.words
             : 0;
}

KINSTR_HD constexpr std::uint32_t record_words(std::uint32_t word0, std::uint32_t word2)
{
  return (word0 & 1) != 0 ? record_words(unpack_tag(word0), word2) : 0;
}

/// A slot is the low word of %clock64 at the site of that index, the last slot at the warp's exit;
/// 0: the site was not reached (a clock of 0 is stored as 1).
///
/// An event is { low word of %clock64, bits 32-47 of %clock64 << 16 | site }; both words 0: the
/// place was reserved and not written.
constexpr std::uint32_t exit_site = 0xFFFF; ///< site of the event at the warp's exit

/// Site of an event that is no site's: from its clock to that of the warp's next event the recorder
/// was busy, copying events or waiting for room. That time belongs to no phase.
constexpr std::uint32_t pause_site = 0xFFFE;

/// What stands in the place of an event's site where it is none, but the number that belongs to the
/// event right behind it in the same record: { the number's 32 bits, its type << 16 |
/// number_site }.
constexpr std::uint32_t number_site = 0xFFFD;

/// What the 32 bits of a number are. One that does not fit is recorded as the nearest that does.
enum class number_type : std::uint32_t
{
  unsigned_integer = 0,
  signed_integer   = 1,
  floating_point   = 2, ///< single precision
};

/// Whether an event of these words was written and is one of the user's: a site's or an exit's.
KINSTR_HD constexpr bool is_user_event(std::uint32_t low, std::uint32_t high)
{
  return (low | high) != 0 && (high & 0xFFFFu) != pause_site && (high & 0xFFFFu) != number_site;
}

KINSTR_HD constexpr std::uint32_t pack_event_high(std::uint32_t clock_high, std::uint32_t site)
{
  return (clock_high << 16) + site;
}

//===----------------------------------------------------------------------===//
// Arena: one region an SM, one head a region.
//===----------------------------------------------------------------------===//

/// A region is never smaller: there is room in it for any one record (docs/internals.md).
constexpr std::uint32_t min_region_words = 256;

/// Bookkeeping of a region, on a cache line of its own so that SMs do not share one.
struct alignas(128) region_head
{
  unsigned long long next;            ///< words reserved so far; may exceed the region: never wraps
  unsigned long long dropped_records; ///< records that found no room
  unsigned long long dropped_events;  ///< events in them
};
static_assert(sizeof(region_head) == 128, "one cache line");

/// What a warp knows from one activation of a function to the next: the chunk of the arena that the
/// functions it calls fill with their events. In global memory, in a table by SM and hardware warp
/// slot; believed only by the warp it names.
struct alignas(16) callee_chunk
{
  std::uint32_t grid_id; ///< low word of %gridid
  std::uint32_t block;   ///< linear index
  std::uint32_t owner;   ///< warp in the block | free places << 8 | module << 16
  std::uint32_t next;    ///< place of the next event [words from the arena's first]
};
static_assert(sizeof(callee_chunk) == 16, "one access");

/// Of an SM; the most any has today. A warp in another slot does without.
constexpr std::uint32_t warp_slots = 64;

/// Chunks for each of them: modules that call each other (-rdc=true) share a warp.
constexpr std::uint32_t callee_chunks_per_slot = 4;

/// Of a table for `regions` SMs.
constexpr std::size_t callee_chunk_count(std::uint32_t regions)
{
  return std::size_t{regions} * warp_slots * callee_chunks_per_slot;
}

/// Which of a series of things are sampled, as one test that any choice fits: index i is where
/// i * factor + offset, rotated to the right, is at most `last`. No division, three instructions.
struct sample_rule
{
  std::uint32_t factor;
  std::uint32_t offset;
  std::uint32_t rotation; ///< [bits], 0..31
  std::uint32_t last;
};

KINSTR_HD constexpr std::uint32_t rotate_right(std::uint32_t x, std::uint32_t bits)
{
  return x >> bits | x << (-bits & 31u);
}

KINSTR_HD constexpr bool contains(sample_rule r, std::uint32_t i)
{
  return rotate_right(i * r.factor + r.offset, r.rotation) <= r.last;
}

constexpr sample_rule sample_all{1, 0, 0, 0xFFFFFFFFu};

/// `count` from `first` on; `count` is at least 1.
constexpr sample_rule sample_range(std::uint32_t first, std::uint32_t count)
{
  return {1, 0u - first, 0, count - 1};
}

/// The warp that carries its block's anchor. It records in every block that is sampled.
/// The last one: in most kernels warp 0 is the one that the others wait for.
KINSTR_HD constexpr std::uint32_t anchor_warp(std::uint32_t warps_of_block)
{
  return warps_of_block - 1;
}

/// Values of device_state::recording.
constexpr std::uint32_t record_nothing = 0;
constexpr std::uint32_t record_all     = 1;
constexpr std::uint32_t record_samples = 2; ///< of warps, blocks and SMs

/// What a kernel needs to know to record; lives in the constant bank of each translation unit. All
/// zero before the runtime attached. When recording is switched off the arena stays where it is,
/// for warps that began to record before.
struct device_state
{
  std::uint32_t *data;        ///< regions * region_words words, zero where nothing was written
  region_head *heads;         ///< one per region
  std::uint32_t region_words; ///< size of a region [words], at least min_region_words; the sum of
                              ///< all is below 2^32
  std::uint32_t last_region;  ///< a block on %smid s records in region min(s, last_region)
  std::uint32_t module;       ///< index of the translation unit in the trace
  std::uint32_t recording;    ///< whether warps that start now record
  sample_rule blocks;         ///< by linear index; read only where samples are recorded
  sample_rule sms;            ///< by %smid
  std::uint32_t warps;        ///< bit w: warp w of a block
  std::uint32_t reserved;     ///< 0
  callee_chunk *chunks;       ///< the module's first in the table; zero where there is none
};
static_assert(sizeof(device_state) == 80, "docs/limitations.md says so");

/// Recorders whose marks are timed on the device at hand, by name as in a module's tables.
struct calibrated_recorder
{
  const char *buffer;
  const char *layout;
};

constexpr calibrated_recorder calibrated_recorders[] = {{"shared", "slots"}, {"shared", "stream"},
                                                        {"lanes", "slots"},  {"lanes", "stream"},
                                                        {"global", "slots"}, {"global", "stream"}};
constexpr std::uint32_t calibrated_count =
    sizeof calibrated_recorders / sizeof calibrated_recorders[0];
/// Between the kernel that measures and the host, which may lose patience, in pinned memory. The
/// kernel says that it has started and then looks whether it is cancelled; the host cancels it and
/// then looks whether it has started. So one of them knows of the other, and the state that the
/// kernel reads is not written over under its hands.
struct calibration_talk
{
  std::uint32_t started;
  std::uint32_t cancelled;
};

constexpr std::uint32_t calibration_marks = 8; ///< that are timed, apart from each other
/// What calibrating finds, by word: cycles of calibration_marks marks of each of these; the step of
/// %globaltimer [ns], 0 where it is not known.
constexpr std::uint32_t calibrated_timer_step = calibrated_count;
constexpr std::uint32_t calibrated_words      = calibrated_count + 1;

//===----------------------------------------------------------------------===//
// File: a header, then sections. Little-endian. See docs/trace-format.md.
//===----------------------------------------------------------------------===//

constexpr char file_magic[8]         = {'K', 'I', 'T', 'R', 'A', 'C', 'E', '\n'};
constexpr std::uint32_t file_version = 1;

struct file_header
{
  char magic[8];
  std::uint32_t version;
  std::uint32_t reserved; ///< 0
};
static_assert(sizeof(file_header) == 16, "file layout");

enum class section_kind : std::uint32_t
{
  meta   = 1, ///< JSON; exactly one, first
  region = 2, ///< region_header, then the used words of one SM's region
  end    = 3, ///< empty; a file without it was cut short
};

/// Followed by `size` bytes of payload, then zero bytes up to a multiple of 8.
struct section_header
{
  section_kind kind;
  std::uint32_t crc32; ///< of the payload: IEEE 802.3 polynomial, as zlib's crc32()
  std::uint64_t size;  ///< of the payload [bytes]
};
static_assert(sizeof(section_header) == 16, "file layout");

struct region_header
{
  std::uint32_t device; ///< index into META "devices"
  std::uint32_t sm;     ///< index of the region
};
static_assert(sizeof(region_header) == 8, "file layout");

} // namespace kinstr

#endif // KINSTR_RECORD_H
