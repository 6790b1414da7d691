// What a caller chooses when a text model is planned or loaded.
#pragma once

#include <cstdint>
#include <optional>

#include "program/compile_options.h"

namespace linnet {

struct TextModelOptions {
  uint32_t context =
      0;  // tokens a sequence may have, prompt and answer together; 0: the model's own, at most 4096
  uint32_t slots = 1;        // sequences that can live at the same time, 1 to kMaxSlots
  uint32_t prompt_rows = 0;  // of one prompt batch; 0: what the device says
  uint32_t logit_rows = 0;   // rows of one prompt batch that can have logits; 0: one for each slot
  std::optional<CompileOptions> compile = {};  // nothing: what the device's own policy says
};

inline constexpr uint32_t kDefaultContext = 4096;
// Idle slots write to page 0, each to a token of its own, so there are no more slots than tokens in a page.
inline constexpr uint32_t kMaxSlots = 64;

}  // namespace linnet
