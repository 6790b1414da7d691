#include "models/rope_frequencies.h"

#include <cmath>

namespace linnet {

std::vector<float> rope_frequencies(uint32_t pairs, double base, const RopeScaling& scaling,
                                    std::span<const float> factors) {
  std::vector<float> parts(size_t{2} * pairs);
  for (uint32_t i = 0; i < pairs; ++i) {
    double frequency = std::pow(base, -static_cast<double>(i) / pairs) / scaling.linear;
    if (!factors.empty()) frequency /= static_cast<double>(factors[i]);
    const auto high = static_cast<float>(frequency);
    parts[2 * i] = high;
    parts[2 * i + 1] = static_cast<float>(frequency - static_cast<double>(high));
  }
  return parts;
}

}  // namespace linnet
