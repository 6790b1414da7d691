// The values that stand for one batch: which tokens, where they belong, which rows get logits, and the slots'
// state that sampling advances. Two kinds of batch serve the same recorded model.
#pragma once

#include <cstdint>

#include "program/ops/paging.h"
#include "program/recorder.h"

namespace linnet {

struct BatchSpec {
  enum class Kind : uint8_t {
    // Ragged rows of some sequences, all given by the host; how many of each is an extent.
    prompt,
    // One row for each of the first `slots` slots; tokens and positions are the slots' own state, so a step
    // needs nothing
    // from the host and nothing is left open.
    decode,
  };
  Kind kind = Kind::decode;
  uint32_t rows = 1;        // prompt: most rows; decode: the same as slots
  uint32_t least_rows = 0;  // prompt: another program has fewer
  uint32_t sequences = 1;   // prompt: most sequences
  uint32_t sampled = 1;     // prompt: most rows with logits
  uint32_t slots =
      1;  // of the state; a program for fewer slots than the model has uses the front of its arrays
  uint32_t pages = 2;  // of each cache, page 0 included
  uint32_t pages_per_slot = 1;

  static BatchSpec decode(uint32_t slots, uint32_t pages, uint32_t pages_per_slot);
};

inline constexpr uint32_t kRingTokens = 64;  // sampled tokens of a slot that the host may still read
inline constexpr uint32_t kMaxStopIds = 16;

// Names of the values that more than one program has, or that the host writes and reads.
namespace names {
inline constexpr const char* kSlotTokens = "slot_tokens";
inline constexpr const char* kSlotPositions = "slot_positions";
inline constexpr const char* kSlotRemaining = "slot_remaining";
inline constexpr const char* kSlotParams = "slot_params";
inline constexpr const char* kStopIds = "stop_ids";
inline constexpr const char* kRing = "ring";
inline constexpr const char* kPageTable = "page_table";
inline constexpr const char* kLogits = "logits";
inline constexpr const char* kTokens = "tokens";                 // prompt
inline constexpr const char* kPositions = "positions";           // prompt
inline constexpr const char* kRowStarts = "row_starts";          // prompt
inline constexpr const char* kSequenceSlots = "sequence_slots";  // prompt
inline constexpr const char* kLastRows = "last_rows";            // prompt
inline constexpr const char* kSampleSlots = "sample_slots";      // prompt
inline constexpr const char* kEachRow = "each_row";    // decode: 0, 1, …, slots: one row in each sequence
inline constexpr const char* kEachSlot = "each_slot";  // decode: 0, 1, …, slots − 1
}  // namespace names

// What sampling reads and advances.
struct SlotState {
  Value tokens;     // [slots] i32
  Value positions;  // [slots] i32
  Value remaining;  // [slots] i32
  Value params;     // [slots, kSampleParamWords] i32
  Value stop_ids;   // [kMaxStopIds] i32
  Value ring;       // [slots, kRingTokens] i32
};

struct Batch {
  Value tokens;  // [rows] i32
  Paging paging;
  Value last_rows;     // [sampled] i32, rows that get logits; absent in decode, where all do
  Value sample_slots;  // [sampled] i32
  Dim sampled;         // rows with logits
  SlotState slots;
};

[[nodiscard]] Batch record_batch(Recorder& recorder, const BatchSpec& spec);
// The draw from logits [sampled, vocabulary].
void record_sample(Recorder& recorder, const Batch& batch, Value logits);

}  // namespace linnet
