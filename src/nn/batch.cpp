#include "nn/batch.h"

namespace linnet {
namespace {

SlotState record_slots(Recorder& recorder, uint32_t slots) {
  return {.tokens = recorder.state({slots}, Format::i32, names::kSlotTokens),
          .positions = recorder.state({slots}, Format::i32, names::kSlotPositions),
          .remaining = recorder.state({slots}, Format::i32, names::kSlotRemaining),
          .params = recorder.state({slots, kSampleParamWords}, Format::i32, names::kSlotParams),
          .stop_ids = recorder.state({kMaxStopIds}, Format::i32, names::kStopIds),
          .ring = recorder.state({slots, kRingTokens}, Format::i32, names::kRing)};
}

Batch record_prompt(Recorder& recorder, const BatchSpec& spec) {
  // Rows behind those of the last sequence belong to none: they are not stored, and nobody attends to them.
  const Dim rows =
      recorder.extent({.name = "rows", .max = spec.rows, .may_round_up = true, .least = spec.least_rows});
  const Dim sequences = recorder.extent("sequences", spec.sequences);
  const Dim sampled = recorder.extent("sampled", spec.sampled);
  Batch batch;
  batch.slots = record_slots(recorder, spec.slots);
  batch.tokens = recorder.input({rows}, Format::i32, names::kTokens);
  batch.paging.positions = recorder.input({rows}, Format::i32, names::kPositions);
  batch.paging.row_starts = recorder.input({spec.sequences + 1}, Format::i32, names::kRowStarts);
  batch.paging.sequence_slots = recorder.input({sequences}, Format::i32, names::kSequenceSlots);
  batch.last_rows = recorder.input({sampled}, Format::i32, names::kLastRows);
  batch.sample_slots = recorder.input({sampled}, Format::i32, names::kSampleSlots);
  batch.sampled = sampled;
  return batch;
}

Batch record_decode(Recorder& recorder, const BatchSpec& spec) {
  Batch batch;
  batch.slots = record_slots(recorder, spec.slots);
  batch.tokens = batch.slots.tokens;
  batch.paging.positions = batch.slots.positions;
  batch.paging.row_starts = recorder.input({spec.slots + 1}, Format::i32, names::kEachRow);
  batch.paging.sequence_slots = recorder.input({spec.slots}, Format::i32, names::kEachSlot);
  batch.sample_slots = batch.paging.sequence_slots;
  batch.sampled = Dim(spec.slots);
  return batch;
}

}  // namespace

BatchSpec BatchSpec::decode(uint32_t slots, uint32_t pages, uint32_t pages_per_slot) {
  return {.kind = Kind::decode,
          .rows = slots,
          .sequences = slots,
          .sampled = slots,
          .slots = slots,
          .pages = pages,
          .pages_per_slot = pages_per_slot};
}

Batch record_batch(Recorder& recorder, const BatchSpec& spec) {
  Batch batch =
      spec.kind == BatchSpec::Kind::prompt ? record_prompt(recorder, spec) : record_decode(recorder, spec);
  batch.paging.page_table = recorder.state({spec.slots, spec.pages_per_slot}, Format::i32, names::kPageTable);
  return batch;
}

void record_sample(Recorder& recorder, const Batch& batch, Value logits) {
  recorder.record(Sample{.logits = logits,
                         .slots = batch.sample_slots,
                         .params = batch.slots.params,
                         .stop_ids = batch.slots.stop_ids,
                         .tokens = batch.slots.tokens,
                         .positions = batch.slots.positions,
                         .remaining = batch.slots.remaining,
                         .ring = batch.slots.ring});
}

}  // namespace linnet
