// Counts what operator new is asked for in this program, so that tests can bound memory.
#pragma once

#include <cstddef>

namespace linnet::test {

// Bytes that were ever asked for; a bound of it bounds the peak as well.
[[nodiscard]] size_t allocated_bytes() noexcept;

}  // namespace linnet::test
