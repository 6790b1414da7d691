#include "check/forced.h"

#include <algorithm>

#include "check/bound_program.h"
#include "check/one_op.h"

namespace linnet {
namespace {

std::vector<std::byte> encoded(Format format, std::span<const float> numbers) {
  std::vector<std::byte> bytes(bytes_of(format, numbers.size()));
  encode(format, numbers, bytes);
  return bytes;
}

// The columns of a view out of the bytes of its base.
std::vector<std::byte> cut(const Program& program, Value view, const std::vector<std::byte>& base) {
  const ValueInfo& info = program.info(view);
  const size_t row_bytes = bytes_of(info.format, info.shape.columns());
  const size_t stride = bytes_of(info.format, program.row_stride(view));
  const size_t offset = bytes_of(info.format, info.view.offset);
  std::vector<std::byte> bytes;
  for (size_t r = 0; r < info.shape.rows().max; ++r) {
    const auto row = std::span(base).subspan(r * stride + offset, row_bytes);
    bytes.insert(bytes.end(), row.begin(), row.end());
  }
  return bytes;
}

class Follower {
 public:
  Follower(const DeviceRun& run, Device& reference, const ProgramInputs& inputs)
      : run_(run),
        program_(run.program),
        reference_(reference),
        inputs_(inputs),
        writers_(program_.values.size()) {
    for (size_t i = 0; i < program_.ops.size(); ++i) {
      for_each_operand(program_.ops[i], [&](Value value, Access access, std::string_view) {
        if (access != Access::read) writers_[program_.base(value).id].push_back(i);
      });
    }
  }

  ForcedReport follow() {
    ForcedReport report;
    for (size_t i = 0; i < program_.ops.size(); ++i) report.ops.push_back(check(i));
    return report;
  }

 private:
  // Values before the op as the device had them.
  class Inputs : public ProgramInputs {
   public:
    Inputs(Follower& follower, const OneOp& one, size_t index)
        : follower_(follower), one_(one), index_(index) {}
    [[nodiscard]] Weight weight(Value value) const override {
      return follower_.inputs_.weight(one_.original.at(value.id));
    }
    [[nodiscard]] std::vector<std::byte> contents(Value value, const ValueInfo& info) const override {
      return follower_.before(one_.original.at(value.id), info.format, index_);
    }

   private:
    Follower& follower_;
    const OneOp& one_;
    size_t index_;
  };

  // By an op at or after `index`.
  [[nodiscard]] bool written_from(Value value, size_t index) const {
    return std::ranges::any_of(writers_[program_.base(value).id],
                               [&](size_t writer) { return writer >= index; });
  }

  std::vector<float> floats(Value value) {
    std::vector<float> numbers(program_.shape(value).elements());
    read_value_now(run_.device, run_.launch, value, numbers);
    return numbers;
  }

  // State as it is while the program is followed: what was there before, then what each op left.
  std::vector<std::byte>& current(Value base) {
    const auto found = current_.find(base.id);
    if (found != current_.end()) return found->second;
    return current_[base.id] = run_.before(base);
  }

  std::vector<std::byte> before(Value value, Format format, size_t index) {
    const Value base = program_.base(value);
    if (program_.info(base).storage != Storage::scratch) {
      return base == value ? current(base) : cut(program_, value, current(base));
    }
    if (written_from(base, index)) {
      fail(ErrorKind::failure, program_.info(value).name, " is overwritten by this op or a later one");
    }
    return encoded(format, floats(value));
  }

  ForcedOp check(size_t index) {
    const Op& op = program_.ops[index];
    ForcedOp result{.index = index, .op = std::string(op_name(op)), .worst = {}, .note = {}};
    const OneOp one = one_op(program_, op);
    try {
      const Inputs inputs(*this, one, index);
      const Expected expected = expect(reference_, one.program, run_.options, inputs, run_.extents);
      for (const auto& [id, bytes] : expected.contents) compare(one, {id}, index, expected, result);
    } catch (const Error& error) {
      result.note = error.what();
    }
    return result;
  }

  void compare(const OneOp& one, Value value, size_t index, const Expected& expected, ForcedOp& result) {
    const Value original = one.original.at(value.id);
    const ValueInfo& info = one.program.info(value);
    const bool scratch = program_.info(original).storage == Storage::scratch;
    const std::vector<std::byte>& bytes = expected.contents.at(value.id);
    if (written_from(original, index + 1)) {
      // The device's own result is gone; what follows sees the reference's.
      if (!scratch && program_.base(original) == original) current(original) = bytes;
      result.note = info.name + " is written again by a later op";
      return;
    }
    const auto tolerances = expected.tolerances.find(value.id);
    const std::span<const double> allowed =
        tolerances == expected.tolerances.end() ? std::span<const double>{} : tolerances->second;
    const size_t elements =
        info.storage == Storage::state ? info.shape.elements() : active_elements(info.shape, run_.extents);
    if (!scratch && program_.base(original) == original) {
      current(original) = run_.after(original);
      compare_bytes(info, elements, bytes, current(original), allowed, result.worst);
      return;
    }
    std::vector<float> numbers(elements);
    decode(info.format, bytes, numbers);
    compare_numbers(info.name, numbers, std::span<const float>(floats(original)).first(elements), allowed,
                    result.worst);
  }

  const DeviceRun& run_;
  const Program& program_;
  Device& reference_;
  const ProgramInputs& inputs_;
  std::vector<std::vector<size_t>> writers_;  // by base: the ops that write it
  std::map<uint32_t, std::vector<std::byte>> current_;
};

}  // namespace

const ForcedOp* ForcedReport::first_failure() const noexcept {
  const auto found = std::ranges::find_if(ops, [](const ForcedOp& op) { return op.worst.ratio > 1; });
  return found == ops.end() ? nullptr : &*found;
}

const ForcedOp* ForcedReport::worst() const noexcept {
  const auto found = std::ranges::max_element(ops, {}, [](const ForcedOp& op) { return op.worst.ratio; });
  return found == ops.end() ? nullptr : &*found;
}

ForcedReport compare_forced(const DeviceRun& run, Device& reference, const ProgramInputs& inputs) {
  return Follower(run, reference, inputs).follow();
}

ForcedReport compare_forced(Device& device, Device& reference, const Program& program,
                            const CompileOptions& options, const ProgramInputs& inputs,
                            std::span<const uint32_t> extents) {
  CompileOptions readable = options;
  readable.reuse_scratch = false;
  BoundProgram bound(device, program, readable, inputs);
  std::map<uint32_t, std::vector<std::byte>> snapshot;
  for (uint32_t id = 0; id < bound.program().values.size(); ++id) {
    const ValueInfo& info = bound.program().values[id];
    if (info.view.base || info.storage == Storage::weight || info.storage == Storage::scratch) continue;
    snapshot[id] = bound.bytes({id});
  }
  bound.run(extents);
  const DeviceRun run{.device = device,
                      .program = bound.program(),
                      .options = options,
                      .launch = bound.launch(),
                      .extents = {extents.begin(), extents.end()},
                      .before = [&](Value value) { return snapshot.at(value.id); },
                      .after = [&](Value value) { return bound.bytes(value); }};
  return compare_forced(run, reference, inputs);
}

}  // namespace linnet
