// The number of a token in a vocabulary.
#pragma once

#include <cstdint>

namespace linnet {

using Token = int32_t;

}  // namespace linnet
