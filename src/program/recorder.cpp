#include "program/recorder.h"

#include <utility>

namespace linnet {

Recorder Recorder::continuing(const Program& program) {
  Recorder recorder;
  recorder.program_.extents = program.extents;
  recorder.program_.values = program.values;
  return recorder;
}

Dim Recorder::extent(ExtentInfo info) {
  constexpr size_t kMaxExtents = 8;
  if (program_.extents.size() == kMaxExtents)
    fail(ErrorKind::failure, "[recorder] more than ", kMaxExtents, " extents");
  program_.extents.push_back(std::move(info));
  return {program_.extents.back().max, static_cast<int8_t>(program_.extents.size() - 1)};
}

Value Recorder::value(Storage storage, Shape shape, Format format, std::string name) {
  if (shape.elements() == 0)
    fail(ErrorKind::failure, "[recorder] ", name, ": expected no empty dimension, got ", shape);
  const uint32_t block = traits(format).block_elements;
  if (block > 1 && shape.back().max % block != 0) {
    fail(ErrorKind::failure, "[recorder] ", name, ": rows of ", format, " must be multiples of ", block,
         ", got ", shape);
  }
  if (storage == Storage::scratch && !name.empty()) name = prefix_ + name;
  program_.values.push_back(
      {.shape = shape, .format = format, .storage = storage, .name = std::move(name), .view = {}});
  return {static_cast<uint32_t>(program_.values.size() - 1)};
}

Value Recorder::view(Value base, size_t offset, Shape shape, const std::string& name) {
  const ValueInfo& of = program_.info(base);
  if (of.view.base) fail(ErrorKind::failure, "[view] base: expected no view");
  if (traits(of.format).block_elements > 1)
    fail(ErrorKind::failure, "[view] base: expected a plain format, got ", of.format);
  if (shape.rank() < 2 || of.shape.rank() < 2 || !(shape[0] == of.shape[0])) {
    fail(ErrorKind::failure, "[view] shape: expected the rows of ", of.shape, ", got ", shape);
  }
  if (offset + shape.columns() > of.shape.columns()) {
    fail(ErrorKind::failure, "[view] columns ", offset, " to ", offset + shape.columns(), " do not lie in ",
         of.shape);
  }
  ValueInfo info{.shape = shape,
                 .format = of.format,
                 .storage = of.storage,
                 .name = name.empty() ? name : prefix_ + name,
                 .view = {.base = base, .offset = offset}};
  program_.values.push_back(std::move(info));
  return {static_cast<uint32_t>(program_.values.size() - 1)};
}

void Recorder::record(Op op) {
  std::visit([&](const auto& each) { each.check(std::as_const(program_)); }, op);
  program_.ops.push_back(std::move(op));
}

}  // namespace linnet
