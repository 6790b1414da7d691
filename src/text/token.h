// The number of a token in a vocabulary.
#pragma once

#include <cstdint>

namespace linnet {

using Token = int32_t;

inline constexpr Token kNoToken = -1;  // where there is none

}  // namespace linnet
