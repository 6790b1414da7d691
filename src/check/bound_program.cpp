#include "check/bound_program.h"

#include <algorithm>

namespace linnet {

std::string unsupported_reason(const Device& device, const Program& program, const CompileOptions& options) {
  std::string reason;
  try {
    static_cast<void>(lower(program, options, [&](const Op& op, Recorder& into) {
      Lowered lowered = device.lower(op, options, into);
      if (lowered.verdict == Lowered::Verdict::unsupported)
        reason = concat("[", op_name(op), "] ", lowered.reason);
      return lowered;
    }));
  } catch (const Error&) {
    if (reason.empty()) throw;  // not a verdict but a defect
  }
  return reason;
}

Program lowered_by(const Device& device, const Program& program, const CompileOptions& options) {
  return lower(program, options,
               [&](const Op& op, Recorder& into) { return device.lower(op, options, into); });
}

BoundProgram::BoundProgram(Device& device, const Program& program, const CompileOptions& options,
                           const ProgramInputs& inputs, uint32_t guard_rows)
    : device_(device),
      inputs_(inputs),
      guard_rows_(guard_rows),
      executable_(device.compile(program, options)) {
  const Program& lowered = executable_->program();
  std::vector<Binding> bindings;
  for (uint32_t id = 0; id < lowered.values.size(); ++id) {
    const ValueInfo& info = lowered.values[id];
    if (info.view.base || info.storage == Storage::scratch) continue;
    if (info.storage == Storage::weight) {
      ProgramInputs::Weight weight = inputs.weight({id});
      buffers_[id] = device.load(weight.spec, *weight.source);
      sources_.push_back(std::move(weight.source));
    } else {
      buffers_[id] = device.allocate(guarded({id}));
    }
    bindings.push_back({.value = {id}, .buffer = buffers_[id].get()});
  }
  scratch_ = device.allocate_scratch(executable_->plan().scratch_bytes);
  launch_ = executable_->bind(bindings, *scratch_);
  reset();
}

ValueInfo BoundProgram::guarded(Value value) const {
  ValueInfo info = executable_->program().info(value);
  std::vector<Dim> dims(info.shape.dims().begin(), info.shape.dims().end());
  // Whole blocks in the one dimension of a vector; a row of anything else.
  const uint32_t unit = dims.size() == 1 ? std::max(traits(info.format).block_elements, 16u) : 1;
  dims.front().max += guard_rows_ * unit;
  info.shape = Shape(dims);
  return info;
}

void BoundProgram::reset() {
  const Program& lowered = executable_->program();
  for (const auto& [id, buffer] : buffers_) {
    const ValueInfo& info = lowered.values[id];
    if (info.storage == Storage::weight) continue;
    const ValueInfo whole = guarded({id});
    std::vector<std::byte> bytes(bytes_of(whole.format, whole.shape.elements()), kSentinel);
    if (info.storage != Storage::output) {
      const std::vector<std::byte> contents = inputs_.contents({id}, info);
      if (contents.size() > lowered.bytes({id})) {
        fail(ErrorKind::failure, "[check] ", info.name, ": expected ", lowered.bytes({id}), " bytes, got ",
             contents.size());
      }
      std::fill_n(bytes.begin(), lowered.bytes({id}), std::byte{0});
      std::ranges::copy(contents, bytes.begin());
    }
    device_.write(*buffer, 0, bytes);
  }
}

std::vector<std::byte> BoundProgram::bytes_with_guard(Value value) {
  const ValueInfo whole = guarded(value);
  std::vector<std::byte> bytes(bytes_of(whole.format, whole.shape.elements()));
  read_now(device_, *buffers_.at(value.id), 0, bytes);
  return bytes;
}

std::vector<std::byte> BoundProgram::bytes(Value value) {
  std::vector<std::byte> bytes(executable_->program().bytes(value));
  read_now(device_, *buffers_.at(value.id), 0, bytes);
  return bytes;
}

std::vector<float> BoundProgram::floats(Value value) {
  std::vector<float> numbers(executable_->program().shape(value).elements());
  read_value_now(device_, *launch_, value, numbers);
  return numbers;
}

}  // namespace linnet
