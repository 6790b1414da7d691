// A test case of an op, as data: a program of that op over external values, what they hold, and the counts to
// run with. The same cases feed the tests, `linnet doctor` and every backend's bring-up.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "check/fill.h"
#include "check/program_inputs.h"
#include "program/compile_options.h"
#include "program/recorder.h"

namespace linnet {

struct Case {
  std::string name;  // "linear/q8_0_17x65x96"
  Program program;
  std::map<uint32_t, Fill> fills;  // by value; a number format without one is normal, i32 without one is zero
  std::vector<uint32_t> extents;   // one count for each extent of the program
  CompileOptions options;
  bool quick = true;  // for doctor and sanitizer builds
};

// One file per op: cases/<op>.cpp.
template <class Op>
[[nodiscard]] std::vector<Case> cases();

// The cases of every op, with activations in f32; an op without cases does not compile.
[[nodiscard]] std::vector<Case> all_cases();
// Those, and for a device that computes in 16 bits the ones whose op leaves open what it computes in once
// more in both such formats: what is right in f32 may be another kernel than the one in use. `compute` is the
// device's own; with the other one they are not quick.
[[nodiscard]] std::vector<Case> all_cases(Format compute);

// Builds a case: values are made as with a Recorder, each with what it holds.
class CaseBuilder {
 public:
  explicit CaseBuilder(std::string name) { case_.name = std::move(name); }

  // An extent of capacity `max` that the run uses `count` of.
  [[nodiscard]] Dim extent(std::string name, uint32_t max, uint32_t count);
  Value weight(Shape shape, Format format, std::string name, Fill fill = {});
  Value state(Shape shape, Format format, std::string name, Fill fill = {});
  Value input(Shape shape, Format format, std::string name, Fill fill = {});
  Value output(Shape shape, Format format, std::string name) {
    return recorder_.output(shape, format, std::move(name));
  }
  [[nodiscard]] Recorder& recorder() noexcept { return recorder_; }
  CaseBuilder& slow() {
    case_.quick = false;
    return *this;
  }
  // Records the op as the last of the program.
  [[nodiscard]] Case record(Op op);

 private:
  Case case_;
  Recorder recorder_;
};

// A case's values, generated from its name.
class CaseInputs : public ProgramInputs {
 public:
  explicit CaseInputs(const Case& of) : case_(of) {}
  [[nodiscard]] Weight weight(Value value) const override;
  [[nodiscard]] std::vector<std::byte> contents(Value value, const ValueInfo& info) const override;

 private:
  [[nodiscard]] Fill fill(Value value) const;
  const Case& case_;
};

}  // namespace linnet
