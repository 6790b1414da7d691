// The instruction sets that the kernels are compiled for and this processor has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linnet::cpu {

struct InstructionSet {
  std::string name;    // "avx512_vnni"
  int64_t target = 0;  // Highway's bit for it
  bool vnni = false;   // has 512-bit dots of four 8-bit products
};

// Best first; at least one.
[[nodiscard]] std::vector<InstructionSet> instruction_sets();
// "" is the best. Throws Error(usage) listing what there is.
[[nodiscard]] InstructionSet instruction_set_named(std::string_view name);

}  // namespace linnet::cpu
