// Choosing the kernel of one instruction set. Included after hwy/foreach_target.h.
#pragma once

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

namespace linnet::cpu {

// The entry of a Highway dispatch table (HWY_EXPORT) for one target, without the process-wide choice that
// HWY_DYNAMIC_DISPATCH makes: two devices with different instruction sets can live side by side.
template <class Function, size_t N>
Function* for_target(Function* const (&table)[N], int64_t target) {
  if constexpr (N == 1) {
    return table[0];  // compiled for the baseline only
  } else {
    hwy::ChosenTarget chosen;
    chosen.Update(target);
    return table[chosen.GetIndex()];
  }
}

}  // namespace linnet::cpu
