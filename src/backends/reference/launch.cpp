#include "backends/reference/launch.h"

#include <algorithm>

#include "backends/reference/kernels/kernels.h"

namespace linnet::reference {
namespace {

size_t line_named(Receipt& receipt, std::string_view op) {
  const auto found = std::ranges::find(receipt.lines, op, &ReceiptLine::op);
  if (found != receipt.lines.end()) return static_cast<size_t>(found - receipt.lines.begin());
  receipt.lines.push_back({.op = std::string(op)});
  return receipt.lines.size() - 1;
}

template <class T>
concept HasKernel = requires(const T& op, Operands& operands) {
  evaluate(op, operands);
};

template <class T>
struct KernelOf {
  static_assert(Fused<T> || HasKernel<T>,
                "this primitive op has no evaluate() in backends/reference/kernels");
};

void evaluate_op(const Op& op, Operands& operands) {
  std::visit(
      [&]<class T>(const T& each) {
        static_cast<void>(KernelOf<T>{});
        if constexpr (Fused<T>) {
          fail(ErrorKind::failure, "[", T::kName, "] was not expanded");
        } else {
          evaluate(each, operands);
        }
      },
      op);
}

}  // namespace

ReferenceLaunch::ReferenceLaunch(const Program& program, std::vector<Place> places,
                                 std::shared_ptr<Shared> shared)
    : program_(program), places_(places), shared_(std::move(shared)), operands_(program, std::move(places)) {
  for (const Op& op : program.ops) line_of_op_.push_back(line_named(shared_->receipt, op_name(op)));
}

void ReferenceLaunch::check_extents(std::span<const uint32_t> extents) const {
  if (extents.size() != program_.extents.size()) {
    fail(ErrorKind::failure, "[run] expected ", program_.extents.size(), " extents, got ", extents.size());
  }
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] <= program_.extents[i].max) continue;
    fail(ErrorKind::failure, "[run] ", program_.extents[i].name, ": expected at most ",
         program_.extents[i].max, ", got ", extents[i]);
  }
}

void ReferenceLaunch::run_op(size_t index) {
  const auto begin = std::chrono::steady_clock::now();
  const uint64_t bytes = operands_.bytes_touched();
  operands_.begin_op(op_name(program_.ops[index]));
  evaluate_op(program_.ops[index], operands_);
  ReceiptLine& line = shared_->receipt.lines[line_of_op_[index]];
  line.count += 1;
  line.bytes += operands_.bytes_touched() - bytes;
  line.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void ReferenceLaunch::run(std::span<const uint32_t> extents) noexcept {
  if (shared_->queue.failed()) return;
  try {
    check_extents(extents);
    operands_.begin_run(extents);
    for (size_t i = 0; i < program_.ops.size(); ++i) run_op(i);
    shared_->receipt.runs += 1;
  } catch (const Error& error) {
    shared_->queue.fail_once(error);
  } catch (const std::exception& error) {
    shared_->queue.fail_once(Error(ErrorKind::failure, error.what()));
  }
}

void ReferenceLaunch::read_value(Value value, std::span<float> into, Completion done) {
  const Shape& shape = program_.shape(value);
  const Place& place = places_[value.id];
  if (into.size() != shape.elements()) {
    fail(ErrorKind::failure, "[read_value] expected room for ", shape.elements(), " numbers, got ",
         into.size());
  }
  if (place.data == nullptr && place.weight == nullptr) {
    fail(ErrorKind::failure, "[read_value] ", program_.info(value).name, ": no op of the program uses it");
  }
  std::vector<double> row(place.columns);
  for (size_t r = 0; r < shape.rows().max; ++r) {
    operands_.load_row(value, r, row);
    std::ranges::transform(row, into.begin() + static_cast<ptrdiff_t>(r * row.size()),
                           [](double number) { return static_cast<float>(number); });
  }
  shared_->queue.completed(std::move(done));
}

}  // namespace linnet::reference
