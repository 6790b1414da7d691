// Runs one op on tensors: a program of that op is recorded, compiled, bound to the tensors' memory and run on
// the device where they all live.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/tensor.h"
#include "program/recorder.h"

namespace linnet::v0 {

class OneOp {
 public:
  explicit OneOp(std::string_view name) : name_(name) {}

  // Each names a tensor as an operand; Error(usage) if it is missing or lives elsewhere than the ones before.
  Value input(const Tensor& tensor, std::string_view operand);
  Value weight(const Tensor& tensor, std::string_view operand, Use use);
  // Absent if there is no tensor.
  Value optional_weight(const Tensor& tensor, std::string_view operand, Use use);
  // Numbers that the op needs and the caller did not bring; the device is known after the first operand.
  Value input(std::span<const int32_t> numbers, linnet::Shape shape, std::string name);
  Value computed_vector(std::span<const float> numbers, linnet::Shape shape, std::string name);
  Value state(linnet::Shape shape, linnet::Format format, std::string name);
  Value output(linnet::Shape shape, linnet::Format format);

  // A mistake in shapes or formats is the caller's: Error(usage).
  void record(Op op);
  // Runs what was recorded and waits for it. The result is the output.
  [[nodiscard]] Tensor run();

  [[nodiscard]] const linnet::Shape& shape(Value value) const { return recorder_.program().shape(value); }
  [[nodiscard]] linnet::Format format(Value value) const { return recorder_.program().format(value); }
  // The format of x for a result: x's own, or f32 where x has no plain numbers.
  [[nodiscard]] linnet::Format result_format(Value x) const;

 private:
  const Tensor::Impl& joined(const Tensor& tensor, std::string_view operand);
  [[nodiscard]] linnet::Device& device() const;
  void bind(Value value, Buffer& buffer) { bindings_.push_back({.value = value, .buffer = &buffer}); }

  std::string name_;
  Recorder recorder_;
  std::shared_ptr<Device::Impl> on_;
  std::vector<Binding> bindings_;
  std::vector<std::unique_ptr<Buffer>> owned_;
  Value output_;
};

}  // namespace linnet::v0
