#include "check/program_inputs.h"

#include <algorithm>
#include <cstring>

namespace linnet {
namespace {

Use use_of(const Program& program, Value value) {
  bool looked_up = false;
  bool multiplied = false;
  for (const Op& op : program.ops) {
    for_each_operand(op, [&](Value operand, Access, std::string_view name) {
      if (program.base(operand) != value) return;
      looked_up = looked_up || name == "table";
      multiplied = multiplied || (name == "weight" && program.shape(value).rank() == 2);
    });
  }
  if (looked_up) return multiplied ? Use::tied : Use::table;
  return multiplied ? Use::matrix : Use::vector;
}

}  // namespace

void MemorySource::read(size_t part, size_t offset, std::span<std::byte> into) const {
  const std::vector<std::byte>& bytes = parts_.at(part);
  if (offset > bytes.size() || into.size() > bytes.size() - offset) {
    fail(ErrorKind::failure, "[read] ", into.size(), " bytes at ", offset, " do not lie in a part of ",
         bytes.size());
  }
  if (!into.empty()) std::memcpy(into.data(), bytes.data() + offset, into.size());
}

WeightSpec spec_of(const Program& program, Value value, uint32_t parts) {
  const ValueInfo& info = program.info(value);
  WeightSpec spec{.name = info.name, .use = use_of(program, value), .parts = {}, .format = info.format};
  const uint32_t rows = info.shape[0].max;
  for (uint32_t part = 0; part < parts; ++part) {
    const Dim some{rows * (part + 1) / parts - rows * part / parts};
    Shape shape = info.shape.rank() == 1 ? Shape{some} : Shape{some, info.shape[1]};
    spec.parts.push_back({.tensor = concat(info.name, ".", part), .shape = shape});
  }
  return spec;
}

std::shared_ptr<const ByteSource> source_of(const WeightSpec& spec, std::span<const std::byte> bytes) {
  std::vector<std::vector<std::byte>> parts;
  size_t offset = 0;
  for (const Part& part : spec.parts) {
    const auto some = bytes.subspan(offset, bytes_of(spec.format, part.shape.elements()));
    parts.emplace_back(some.begin(), some.end());
    offset += some.size();
  }
  return std::make_shared<MemorySource>(spec.format, std::move(parts));
}

}  // namespace linnet
