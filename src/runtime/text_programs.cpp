#include "runtime/text_programs.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/quoted.h"
#include "runtime/kv_pages.h"

namespace linnet {
namespace {

// Far above every published context; keeps all sizes inside 64 bits (models/llama_config.cpp).
constexpr uint32_t kLongestContext = 1u << 22;
constexpr uint32_t kMostPromptRows = 1u << 16;

uint32_t choose_context(const LlamaConfig& config, uint32_t wanted) {
  const uint32_t longest = std::min(config.context_length, kLongestContext);
  if (wanted == 0) return std::min(longest, kDefaultContext);
  if (wanted > longest) {
    fail(ErrorKind::usage, "context: this model was made for at most ", longest, " tokens, got ", wanted);
  }
  return wanted;
}

void check_options(const TextModelOptions& options) {
  if (options.slots < 1 || options.slots > kMaxSlots) {
    fail(ErrorKind::usage, "slots: expected 1 to ", kMaxSlots, ", got ", options.slots);
  }
  if (options.prompt_rows > kMostPromptRows) {
    fail(ErrorKind::usage, "prompt rows: expected at most ", kMostPromptRows, ", got ", options.prompt_rows);
  }
  if (options.logit_rows > kMostPromptRows) {
    fail(ErrorKind::usage, "logit rows: expected at most ", kMostPromptRows, ", got ", options.logit_rows);
  }
}

CompileOptions policy_of(const Device& device) {
  const DeviceInfo info = device.info();
  return {.activations = info.compute, .kv = info.kv};
}

Shape fixed_shape(const Shape& shape) {
  std::array<Dim, Shape::kMaxRank> dims{};
  std::ranges::transform(shape.dims(), dims.begin(), [](const Dim& dim) { return Dim(dim.max); });
  return Shape(std::span<const Dim>(dims.data(), shape.rank()));
}

// A model may say that its matrices are small enough to be held in F32, whatever the file has: then a device
// that computes in F32 does not round activations either, and says what the reference says. It is a matter of
// the file, so that all verbs do the same.
constexpr std::string_view kMatricesKey = "linnet.matrices";

void hold_as_the_file_says(TextPrograms& programs, const ModelFiles& model) {
  const std::optional<std::string> said = model.tensors.metadata().find_string(kMatricesKey);
  if (!said || programs.compile.activations != Format::f32) return;
  if (*said != "f32")
    fail(ErrorKind::model, "key '", kMatricesKey, "': expected f32, got ", quoted_name(*said));
  for (JoinedWeight& weight : programs.weights) weight.spec.format = Format::f32;
}

// One for each capacity, ascending; the first that has room for a prompt takes it.
void record_prompts(TextPrograms& programs, std::span<const WeightSpec> specs,
                    std::span<const uint32_t> shorter) {
  std::ranges::copy_if(shorter, std::back_inserter(programs.prompt_capacities),
                       [&](uint32_t rows) { return rows < programs.prompt_rows; });
  programs.prompt_capacities.push_back(programs.prompt_rows);
  uint32_t least = 0;
  for (const uint32_t rows : programs.prompt_capacities) {
    programs.prompts.push_back(record_llama(programs.config, specs,
                                            {.kind = BatchSpec::Kind::prompt,
                                             .rows = rows,
                                             .least_rows = least,
                                             .sequences = programs.slots,
                                             .sampled = programs.logit_rows,
                                             .slots = programs.slots,
                                             .pages = programs.pages,
                                             .pages_per_slot = programs.pages_per_slot}));
    least = rows + 1;
  }
}

void record_programs(TextPrograms& programs, std::span<const uint32_t> shorter_prompts) {
  std::vector<WeightSpec> specs;
  for (const JoinedWeight& weight : programs.weights) specs.push_back(weight.spec);
  specs.push_back(programs.rope);
  record_prompts(programs, specs, shorter_prompts);
  for (uint32_t slots = 1;; slots = std::min(2 * slots, programs.slots)) {
    programs.decode.push_back(record_llama(
        programs.config, specs, BatchSpec::decode(slots, programs.pages, programs.pages_per_slot)));
    programs.decode_slots.push_back(slots);
    if (slots == programs.slots) break;
  }
}

}  // namespace

size_t TextPrograms::prompt_with_room(uint32_t rows) const {
  return static_cast<size_t>(std::ranges::lower_bound(prompt_capacities, rows) - prompt_capacities.begin());
}

std::vector<ValueInfo> TextPrograms::shared_values() const {
  std::vector<ValueInfo> values;
  const auto add_all = [&](const Program& program) {
    for (const ValueInfo& value : program.values) {
      if (value.storage == Storage::weight || value.storage == Storage::scratch || value.view.base) continue;
      const auto found = std::ranges::find(values, value.name, &ValueInfo::name);
      if (found == values.end()) {
        values.push_back(value);
        values.back().shape = fixed_shape(value.shape);
      } else if (found->shape.elements() < value.shape.elements()) {
        found->shape = fixed_shape(value.shape);
      }
    }
  };
  for (const Program& program : prompts) add_all(program);
  for (const Program& program : decode) add_all(program);
  return values;
}

TextPrograms record_text_programs(const ModelFiles& model, const TextModelOptions& options,
                                  const Device& device) {
  check_options(options);
  TextPrograms programs;
  programs.config = read_llama_config(model);
  programs.compile = options.compile ? *options.compile : policy_of(device);
  programs.context = choose_context(programs.config, options.context);
  programs.slots = options.slots;
  const DeviceInfo info = device.info();
  const uint32_t rows = options.prompt_rows != 0 ? options.prompt_rows : info.prompt_rows;
  programs.prompt_rows = std::min(rows, programs.context * programs.slots);
  programs.logit_rows = std::max(options.logit_rows, programs.slots);
  const uint32_t full = KvPages::pages_for(programs.context);
  programs.pages = 1 + programs.slots * full;
  // One column more than a full slot has pages, always page 0: a slot that is full stands at the position
  // after its last token, and a step that passes over it must write somewhere.
  programs.pages_per_slot = full + 1;
  programs.weights = join_llama_weights(programs.config, model.tensors);
  hold_as_the_file_says(programs, model);
  programs.rope = llama_rope_spec(programs.config);
  record_programs(programs, info.shorter_prompts);
  return programs;
}

}  // namespace linnet
