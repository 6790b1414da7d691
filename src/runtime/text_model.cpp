#include "runtime/text_model.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.h"

namespace linnet {
namespace {

constexpr size_t kWord = sizeof(int32_t);

uint32_t logit_rows_of(const PromptPart& part) {
  if (part.generate > 0) return 1;
  return std::min(part.logits, static_cast<uint32_t>(part.tokens.size()));
}

}  // namespace

uint32_t TextModel::free_slots() const noexcept {
  return static_cast<uint32_t>(std::ranges::count(slots_, false, &Slot::begun));
}

size_t TextModel::kv_bytes_per_token() const {
  const size_t of_one_layer = bytes_of(programs_.compile.kv, size_t{config().kv_heads} * config().head_width);
  return 2 * config().layers * of_one_layer;
}

void TextModel::set_stop_ids(std::span<const int32_t> ids) {
  if (ids.size() > kMaxStopIds) {
    fail(ErrorKind::usage, "stop ids: expected at most ", kMaxStopIds, ", got ", ids.size());
  }
  std::array<int32_t, kMaxStopIds> words{};
  words.fill(-1);
  std::ranges::copy(ids, words.begin());
  write_words(*buffers_.stop_ids, 0, words);
}

uint32_t TextModel::begin(const SampleParams& sampling, uint32_t tokens) {
  if (tokens == 0 || tokens > context()) {
    fail(ErrorKind::usage, "a sequence of ", tokens, " tokens does not fit the context of ", context());
  }
  const auto found = std::ranges::find(slots_, false, &Slot::begun);
  if (found == slots_.end()) fail(ErrorKind::usage, "all ", slots(), " slots are in use");
  const auto slot = static_cast<uint32_t>(found - slots_.begin());
  if (!pages_.reserve(slot, tokens)) {
    fail(ErrorKind::usage, "no pages left for a sequence of ", tokens, " tokens: ", pages_.free_pages(),
         " are free");
  }
  *found = {.begun = true, .reserved = tokens};
  write_page_row(slot);
  write_slot_state(slot, 0, 0);
  set_sampling(slot, sampling);
  return slot;
}

void TextModel::set_sampling(uint32_t slot, const SampleParams& sampling) {
  (void)begun(slot);
  std::array<int32_t, kSampleParamWords> words{};
  static_assert(sizeof words == sizeof sampling);
  std::memcpy(words.data(), &sampling, sizeof words);
  write_words(*buffers_.params, size_t{slot} * kSampleParamWords, words);
}

void TextModel::check_parts(std::span<const PromptPart> parts) const {
  size_t rows = 0;
  size_t logit_rows = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const PromptPart& part = parts[i];
    const Slot& slot = begun(part.slot);
    const auto same = [&](const PromptPart& other) { return other.slot == part.slot; };
    if (std::ranges::any_of(parts.first(i), same)) {
      fail(ErrorKind::usage, "[prompt] slot ", part.slot, " is there twice");
    }
    if (part.tokens.empty()) fail(ErrorKind::usage, "[prompt] no tokens for slot ", part.slot);
    if (slot.sampled != 0)
      fail(ErrorKind::usage, "[prompt] slot ", part.slot, " is generating: truncate it first");
    if (part.tokens.size() > slot.reserved - slot.length) {
      fail(ErrorKind::usage, "[prompt] ", slot.length + part.tokens.size(), " tokens, but slot ", part.slot,
           " has room for ", slot.reserved, " (the context is ", context(), ")");
    }
    for (const int32_t token : part.tokens) {
      if (token < 0 || static_cast<uint32_t>(token) >= vocabulary()) {
        fail(ErrorKind::usage, "[prompt] token ", token, " is not in the vocabulary of ", vocabulary());
      }
    }
    rows += part.tokens.size();
    logit_rows += logit_rows_of(part);
  }
  if (rows > prompt_rows()) fail(ErrorKind::usage, "[prompt] ", rows, " rows, at most ", prompt_rows());
  if (logit_rows > programs_.logit_rows) {
    fail(ErrorKind::usage, "[prompt] ", logit_rows, " rows with logits, at most ", programs_.logit_rows);
  }
}

void TextModel::prompt(std::span<const PromptPart> parts) {
  check_parts(parts);
  if (parts.empty()) return;
  uint32_t rows = 0;
  uint32_t sampled = 0;
  for (uint32_t i = 0; i < parts.size(); ++i) {
    const PromptPart& part = parts[i];
    Slot& slot = slots_[part.slot];
    staging_.row_starts[i] = static_cast<int32_t>(rows);
    staging_.sequence_slots[i] = static_cast<int32_t>(part.slot);
    for (const int32_t token : part.tokens) {
      staging_.tokens[rows] = token;
      staging_.positions[rows++] = static_cast<int32_t>(slot.length++);
    }
    for (uint32_t back = logit_rows_of(part); back > 0; --back) {
      staging_.last_rows[sampled] = static_cast<int32_t>(rows - back);
      staging_.sample_slots[sampled++] = static_cast<int32_t>(part.slot);
    }
    // Sampling needs the position of the row it draws from. A slot that draws nothing stands at the next
    // position: a decode step that passes over it writes only what the next part will overwrite.
    const uint32_t generate = std::min(part.generate, slot.reserved - slot.length);
    write_slot_state(part.slot, generate > 0 ? slot.length - 1 : slot.length, generate);
    if (generate > 0) {
      slot.remaining = generate - 1;
      slot.sampled = 1;
      ++slot.length;
    }
  }
  staging_.row_starts[parts.size()] = static_cast<int32_t>(rows);
  const auto sequences = static_cast<uint32_t>(parts.size());
  write_words(*inputs_.tokens, 0, std::span(staging_.tokens).first(rows));
  write_words(*inputs_.positions, 0, std::span(staging_.positions).first(rows));
  write_words(*inputs_.row_starts, 0, std::span(staging_.row_starts).first(sequences + 1));
  write_words(*inputs_.sequence_slots, 0, std::span(staging_.sequence_slots).first(sequences));
  write_words(*inputs_.last_rows, 0, std::span(staging_.last_rows).first(sampled));
  write_words(*inputs_.sample_slots, 0, std::span(staging_.sample_slots).first(sampled));
  // In the order in which record_batch() makes the extents.
  prompts_[programs_.prompt_with_room(rows)].launch->run(std::array{rows, sequences, sampled});
}

void TextModel::decode() {
  uint32_t needed = 0;
  for (uint32_t i = 0; i < slots_.size(); ++i) {
    Slot& slot = slots_[i];
    if (slot.remaining == 0) continue;
    needed = i + 1;
    --slot.remaining;
    ++slot.sampled;
    ++slot.length;
  }
  if (needed == 0) return;
  const auto program = std::ranges::lower_bound(programs_.decode_slots, needed);
  decode_[static_cast<size_t>(program - programs_.decode_slots.begin())].launch->run();
}

const TextModel::Slot& TextModel::begun(uint32_t slot) const {
  if (slot >= slots_.size() || !slots_[slot].begun)
    fail(ErrorKind::usage, "slot ", slot, " holds no sequence");
  return slots_[slot];
}

uint32_t TextModel::length(uint32_t slot) const {
  return begun(slot).length;
}
uint32_t TextModel::sampled(uint32_t slot) const {
  return begun(slot).sampled;
}
bool TextModel::generating(uint32_t slot) const {
  return begun(slot).remaining > 0;
}

void TextModel::read_tokens(uint32_t slot, uint32_t first, std::span<int32_t> into, Completion done) {
  const Slot& sequence = begun(slot);
  const uint32_t oldest = sequence.length - std::min(sequence.sampled, kRingTokens);
  if (into.empty() || first < oldest || first > sequence.length || into.size() > sequence.length - first) {
    fail(ErrorKind::usage, "[read tokens] ", into.size(), " from ", first, ": the slot can give ", oldest,
         " to ", sequence.length);
  }
  // A token is stored under the position of the row that it was drawn from, the one before its own.
  const uint32_t place = (first - 1) % kRingTokens;
  const size_t front = std::min<size_t>(into.size(), kRingTokens - place);
  const size_t row = size_t{slot} * kRingTokens;
  const auto read = [&](size_t word, std::span<int32_t> words, Completion then) {
    device_.read_beside(*buffers_.ring, (row + word) * kWord, std::as_writable_bytes(words), std::move(then));
  };
  if (front < into.size()) {
    read(place, into.first(front), [](const Error*) {});  // a failure stays and reaches the second one
    read(0, into.subspan(front), std::move(done));
  } else {
    read(place, into, std::move(done));
  }
}

void TextModel::truncate(uint32_t slot, uint32_t tokens) {
  const Slot& sequence = begun(slot);
  const uint32_t stored = sequence.length - (sequence.sampled > 0 ? 1 : 0);
  if (tokens > stored)
    fail(ErrorKind::usage, "[truncate] ", tokens, " tokens: slot ", slot, " has stored ", stored);
  slots_[slot].length = tokens;
  slots_[slot].sampled = 0;
  slots_[slot].remaining = 0;
  write_slot_state(slot, tokens, 0);
}

void TextModel::release(uint32_t slot) {
  slots_.at(slot) = {};
  pages_.release(slot);
  write_page_row(slot);
  // Idle slots have page 0, each a token of its own.
  write_slot_state(slot, slot, 0);
}

void TextModel::read_logits(uint32_t row, std::span<float> into, Completion done) {
  if (row >= programs_.logit_rows || into.size() != vocabulary()) {
    fail(ErrorKind::usage, "[read logits] row ", row, " of ", into.size(), ": expected rows of ",
         vocabulary(), " below ", programs_.logit_rows);
  }
  device_.read(*buffers_.logits, size_t{row} * into.size_bytes(), std::as_writable_bytes(into),
               std::move(done));
}

void TextModel::fence(Completion done) {
  device_.read(*buffers_.remaining, 0, std::as_writable_bytes(std::span(&fence_word_, 1)), std::move(done));
}

void TextModel::write_words(Buffer& to, size_t first, std::span<const int32_t> words) {
  if (!words.empty()) device_.write(to, first * kWord, std::as_bytes(words));
}

void TextModel::write_page_row(uint32_t slot) {
  std::ranges::fill(page_row_, 0);
  std::ranges::copy(pages_.pages_of(slot), page_row_.begin());
  write_words(*buffers_.page_table, size_t{slot} * page_row_.size(), page_row_);
}

void TextModel::write_slot_state(uint32_t slot, uint32_t position, uint32_t remaining) {
  const auto write = [&](Buffer& to, uint32_t value) {
    const auto word = static_cast<int32_t>(value);
    write_words(to, slot, {&word, 1});
  };
  write(*buffers_.positions, position);
  write(*buffers_.remaining, remaining);
}

}  // namespace linnet
