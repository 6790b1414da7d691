#include "backends/cpu/instruction_sets.h"

#include "backends/cpu/kernels/targets.h"
//
#include <hwy/highway.h>

#include "base/error.h"

namespace linnet::cpu {
namespace {

std::string name_of(int64_t target) {
  switch (target) {
#if HWY_ARCH_X86
    case HWY_AVX3_DL:
      return "avx512_vnni";
    case HWY_AVX3:
      return "avx512";
    case HWY_AVX2:
      return "avx2";
    case HWY_SSE4:
      return "sse4";
    case HWY_SSSE3:
      return "ssse3";
#endif
    default:
      return hwy::TargetName(target);
  }
}

}  // namespace

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets;
  // Highway numbers better targets with lower bits.
  const int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
  for (int bit = 0; bit < 63; ++bit) {
    const int64_t target = int64_t{1} << bit;
    if ((usable & target) == 0) continue;
    bool vnni = false;
#if HWY_ARCH_X86
    vnni = target == HWY_AVX3_DL;
#endif
    sets.push_back({name_of(target), target, vnni});
  }
  if (sets.empty())
    fail(ErrorKind::device, "this processor has none of the instruction sets this build was made for");
  return sets;
}

InstructionSet instruction_set_named(std::string_view name) {
  const std::vector<InstructionSet> sets = instruction_sets();
  if (name.empty()) return sets.front();
  std::string names;
  for (const InstructionSet& set : sets) {
    if (set.name == name) return set;
    names += (names.empty() ? "" : ", ") + set.name;
  }
  fail(ErrorKind::usage, "instruction set '", name, "' is not one of: ", names);
}

}  // namespace linnet::cpu
