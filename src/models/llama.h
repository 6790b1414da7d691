// Llama and what shares its architecture (TinyLlama, Mistral, Llama 2 and 3): weights, and the program.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "models/join_weights.h"
#include "models/llama_config.h"
#include "nn/batch.h"
#include "program/program.h"
#include "program/weight_spec.h"

namespace linnet {

inline constexpr std::string_view kRopeFrequenciesName = "rope_frequencies";

// Weights that come from the file, in the order in which a pass reads them. Biases are optional parts.
[[nodiscard]] std::vector<WeightSpec> llama_weights(const LlamaConfig& config);
// The same joined to a file; throws as join_weights() does.
[[nodiscard]] std::vector<JoinedWeight> join_llama_weights(const LlamaConfig& config, const TensorFile& file);
// The weight that is computed and not read: [pairs, 2] f32.
[[nodiscard]] WeightSpec llama_rope_spec(const LlamaConfig& config);
[[nodiscard]] std::vector<float> llama_rope_values(const LlamaConfig& config);

// The whole model for one kind of batch. `weights` are the specs as joined to a file (their formats are set
// and those that the file does not have are left out), the computed one included. Values carry the specs'
// names.
[[nodiscard]] Program record_llama(const LlamaConfig& config, std::span<const WeightSpec> weights,
                                   const BatchSpec& batch);

}  // namespace linnet
