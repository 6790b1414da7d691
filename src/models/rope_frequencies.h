// Frequencies of rotary position embeddings, computed in float64 when a model is loaded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace linnet {

struct RopeScaling {
  double linear = 1;  // positions count 1/linear of a token
};

// [pairs, 2]: base^(−i / pairs) / linear / factors[i], as two floats whose sum it is. `factors` is empty or
// has one number for each pair (Llama 3 files store their scaling that way).
[[nodiscard]] std::vector<float> rope_frequencies(uint32_t pairs, double base, const RopeScaling& scaling,
                                                  std::span<const float> factors);

}  // namespace linnet
