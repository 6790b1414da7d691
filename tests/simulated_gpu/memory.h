// Memory of the simulated GPU: so much and no more, not zero at first, with guards that show who wrote beside
// it.
#pragma once

#include <cstddef>

namespace linnet::simulated {

inline constexpr size_t kTotalMemory = size_t{4} << 30;

// Null if there is not so much left.
[[nodiscard]] void* allocate(size_t bytes);
// Ends the program if something was written beside it, or if it is no such memory.
void release(void* memory);
[[nodiscard]] size_t free_memory();
// Whether these bytes lie in one allocation.
[[nodiscard]] bool is_device_memory(const void* memory, size_t bytes);

}  // namespace linnet::simulated
