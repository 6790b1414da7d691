// Lowering, from coarse to fine: formats are resolved, and each op is kept, replaced or expanded as the
// device says.
#pragma once

#include <functional>
#include <string>

#include "program/compile_options.h"
#include "program/program.h"
#include "program/recorder.h"

namespace linnet {

struct Lowered {
  enum class Verdict : uint8_t {
    keep,         // the device has a kernel for the op as it is
    expand,       // record what the fused op means and lower that
    replaced,     // the device has recorded other ops, all of which it has kernels for
    unsupported,  // compiling fails with the reason
  };
  Verdict verdict = Verdict::keep;
  std::string reason;

  static Lowered keep() { return {}; }
  static Lowered expand() { return {Verdict::expand, {}}; }
  static Lowered replaced() { return {Verdict::replaced, {}}; }
  static Lowered unsupported(std::string why) { return {Verdict::unsupported, std::move(why)}; }
};

using LowerOp = std::function<Lowered(const Op& op, Recorder& into)>;

// The program as the device will run it. Values of the recorded program keep their ids; expansion adds
// scratch.
[[nodiscard]] Program lower(const Program& program, const CompileOptions& options, const LowerOp& lower_op);

// Throws Error(failure) naming the first op outside its own definition (only needed for programs not made by
// a Recorder).
void check(const Program& program);

}  // namespace linnet
