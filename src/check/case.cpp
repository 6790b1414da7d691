#include "check/case.h"

namespace linnet {
namespace {

template <class... Ops>
std::vector<Case> cases_of_all(const std::variant<Ops...>*) {
  std::vector<Case> all;
  const auto append = [&](std::vector<Case> some) {
    for (Case& each : some) all.push_back(std::move(each));
  };
  (append(cases<Ops>()), ...);
  return all;
}

// Whether CompileOptions::activations make a difference to it.
bool leaves_open(const Op& op) {
  return std::visit(
      [](const auto& each) {
        if constexpr (requires { each.input; }) return each.input == Format::compute;
        return false;
      },
      op);
}

Case with_activations(const Case& what, Format activations) {
  Case other = what;
  other.name += concat("_in_", activations);
  other.options.activations = activations;
  return other;
}

}  // namespace

std::vector<Case> all_cases() {
  return cases_of_all(static_cast<const Op*>(nullptr));
}

std::vector<Case> all_cases(Format compute) {
  const std::vector<Case> plain = all_cases();
  std::vector<Case> all = plain;
  if (compute == Format::f32) return all;
  for (const Case& what : plain) {
    if (!leaves_open(what.program.ops.back())) continue;
    for (const Format activations : {Format::bf16, Format::f16}) {
      all.push_back(with_activations(what, activations));
      all.back().quick = what.quick && activations == compute;
    }
  }
  return all;
}

Dim CaseBuilder::extent(std::string name, uint32_t max, uint32_t count) {
  case_.extents.push_back(count);
  return recorder_.extent(std::move(name), max);
}

Value CaseBuilder::weight(Shape shape, Format format, std::string name, Fill fill) {
  const Value value = recorder_.weight(shape, format, std::move(name));
  case_.fills[value.id] = std::move(fill);
  return value;
}

Value CaseBuilder::state(Shape shape, Format format, std::string name, Fill fill) {
  const Value value = recorder_.state(shape, format, std::move(name));
  case_.fills[value.id] = std::move(fill);
  return value;
}

Value CaseBuilder::input(Shape shape, Format format, std::string name, Fill fill) {
  const Value value = recorder_.input(shape, format, std::move(name));
  case_.fills[value.id] = std::move(fill);
  return value;
}

Case CaseBuilder::record(Op op) {
  recorder_.record(std::move(op));
  case_.program = recorder_.take();
  return std::move(case_);
}

Fill CaseInputs::fill(Value value) const {
  const auto found = case_.fills.find(value.id);
  if (found != case_.fills.end()) return found->second;
  return case_.program.format(value) == Format::i32 ? Fill::integers({0}) : Fill{};
}

ProgramInputs::Weight CaseInputs::weight(Value value) const {
  const WeightSpec spec = spec_of(case_.program, value, fill(value).parts);
  return {spec, source_of(spec, contents(value, case_.program.info(value)))};
}

std::vector<std::byte> CaseInputs::contents(Value value, const ValueInfo& info) const {
  return filled(fill(value), info, mixed(seed_of(case_.name), value.id));
}

}  // namespace linnet
