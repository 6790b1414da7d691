// The programs of a text model for a file and a device: what planning needs to know and loading compiles.
// Made from the file's header alone.
#pragma once

#include <cstdint>
#include <vector>

#include "device/device.h"
#include "files/model_files.h"
#include "models/llama.h"
#include "runtime/text_options.h"
#include "runtime/weights.h"

namespace linnet {

struct TextPrograms {
  LlamaConfig config;
  CompileOptions compile;
  uint32_t context = 0;
  uint32_t slots = 0;
  uint32_t prompt_rows = 0;
  uint32_t logit_rows = 0;
  uint32_t pages = 0;
  uint32_t pages_per_slot = 0;  // columns of the page table

  std::vector<JoinedWeight> weights;
  WeightSpec rope;
  std::vector<Program> prompts;  // for fewer rows, where the device wants that, and for prompt_rows
  std::vector<uint32_t> prompt_capacities;
  std::vector<Program> decode;  // for 1, 2, 4, … slots and for all of them
  std::vector<uint32_t> decode_slots;

  // Which of the prompts takes so many rows, at most prompt_rows.
  [[nodiscard]] size_t prompt_with_room(uint32_t rows) const;

  // Every state, input and output value of all programs once, each at its largest: programs for fewer slots
  // use the front.
  [[nodiscard]] std::vector<ValueInfo> shared_values() const;
};

// Throws Error(model) or Error(usage) as TextModel does.
[[nodiscard]] TextPrograms record_text_programs(const ModelFiles& model, const TextModelOptions& options,
                                                const Device& device);

}  // namespace linnet
