// TextModel, the part that runs once: weights, state, compiling and binding.
#include <algorithm>
#include <map>
#include <numeric>

#include "base/error.h"
#include "runtime/text_model.h"

namespace linnet {
namespace {

const MemoryPlan& fitting(const MemoryPlan& plan) {
  require_fit(plan);
  return plan;  // NOLINT(bugprone-return-const-ref-from-parameter): the caller's own
}

std::span<const std::byte> bytes_of_words(std::span<const int32_t> words) {
  return std::as_bytes(words);
}

}  // namespace

TextModel::TextModel(ModelFiles files, Device& device, const TextModelOptions& options,
                     const LoadProgress& progress)
    : files_(std::move(files)),
      device_(device),
      programs_(record_text_programs(files_, options, device)),
      plan_(fitting(plan_memory(programs_, device))),
      weights_(load_weights(programs_.weights, files_.tensors, device, progress)),
      pages_(programs_.pages, programs_.slots, programs_.pages_per_slot - 1),
      slots_(programs_.slots) {
  weights_.push_back(load_computed(programs_.rope, llama_rope_values(programs_.config), device));
  allocate_state();
  compile_programs();
  prepare_staging();
  reset_state();
}

TextModel::~TextModel() = default;

void TextModel::allocate_state() {
  for (ValueInfo value : programs_.shared_values()) {
    if (value.format == Format::kv) value.format = programs_.compile.kv;
    state_.push_back({value.name, device_.allocate(value)});
  }
  buffers_ = {.tokens = &state(names::kSlotTokens),
              .positions = &state(names::kSlotPositions),
              .remaining = &state(names::kSlotRemaining),
              .params = &state(names::kSlotParams),
              .stop_ids = &state(names::kStopIds),
              .ring = &state(names::kRing),
              .page_table = &state(names::kPageTable),
              .logits = &state(names::kLogits)};
  inputs_ = {.tokens = &state(names::kTokens),
             .positions = &state(names::kPositions),
             .row_starts = &state(names::kRowStarts),
             .sequence_slots = &state(names::kSequenceSlots),
             .last_rows = &state(names::kLastRows),
             .sample_slots = &state(names::kSampleSlots)};
}

Buffer& TextModel::state(std::string_view name) const {
  const auto found = std::ranges::find(state_, name, &NamedBuffer::name);
  if (found == state_.end()) fail(ErrorKind::failure, "[text model] no value '", name, "'");
  return *found->buffer;
}

void TextModel::compile_programs() {
  size_t scratch = 0;
  const auto compile_all = [&](const std::vector<Program>& programs, std::vector<Compiled>& into) {
    for (const Program& program : programs) {
      into.push_back({device_.compile(program, programs_.compile), nullptr});
      scratch = std::max(scratch, into.back().executable->plan().scratch_bytes);
    }
  };
  compile_all(programs_.prompts, prompts_);
  compile_all(programs_.decode, decode_);
  scratch_ = device_.allocate_scratch(scratch);
  for (size_t i = 0; i < prompts_.size(); ++i) bind(prompts_[i], programs_.prompts[i]);
  for (size_t i = 0; i < decode_.size(); ++i) bind(decode_[i], programs_.decode[i]);
}

// A program for fewer slots than the model has is bound to the same buffers and uses their front: they lie
// plainly, one slot after the other.
void TextModel::bind(Compiled& compiled, const Program& program) {
  std::map<std::string_view, Buffer*> by_name;
  for (const NamedBuffer& each : weights_) by_name.emplace(each.name, each.buffer.get());
  for (const NamedBuffer& each : state_) by_name.emplace(each.name, each.buffer.get());
  std::vector<Binding> bindings;
  for (uint32_t id = 0; id < program.values.size(); ++id) {
    const ValueInfo& value = program.values[id];
    if (value.storage == Storage::scratch || value.view.base) continue;
    const auto found = by_name.find(value.name);
    if (found == by_name.end())
      fail(ErrorKind::failure, "[text model] nothing to bind to '", value.name, "'");
    bindings.push_back({{id}, found->second});
  }
  compiled.launch = compiled.executable->bind(bindings, *scratch_);
}

void TextModel::prepare_staging() {
  staging_.tokens.resize(programs_.prompt_rows);
  staging_.positions.resize(programs_.prompt_rows);
  staging_.row_starts.resize(programs_.slots + 1);
  staging_.sequence_slots.resize(programs_.slots);
  staging_.last_rows.resize(programs_.logit_rows);
  staging_.sample_slots.resize(programs_.logit_rows);
  page_row_.resize(programs_.pages_per_slot);
}

void TextModel::reset_state() {
  std::vector<int32_t> counting(programs_.slots + 1);
  std::iota(counting.begin(), counting.end(), 0);
  device_.write(state(names::kEachRow), 0, bytes_of_words(counting));
  counting.pop_back();
  device_.write(state(names::kEachSlot), 0, bytes_of_words(counting));
  set_stop_ids({});
  for (uint32_t slot = 0; slot < programs_.slots; ++slot) release(slot);
}

}  // namespace linnet
