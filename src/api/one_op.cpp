#include "api/one_op.h"

namespace linnet::v0 {
namespace {

// A weight that was computed on the spot.
class FloatSource : public ByteSource {
 public:
  explicit FloatSource(std::span<const float> numbers) : bytes_(std::as_bytes(numbers)) {}
  [[nodiscard]] linnet::Format format(size_t) const override { return linnet::Format::f32; }
  [[nodiscard]] std::span<const std::byte> mapped(size_t) const override { return {}; }
  void read(size_t, size_t offset, std::span<std::byte> into) const override {
    std::ranges::copy(bytes_.subspan(offset, into.size()), into.begin());
  }

 private:
  std::span<const std::byte> bytes_;
};

Shape public_shape(const linnet::Shape& shape) {
  Shape sizes;
  for (const Dim& dim : shape.dims()) sizes.push_back(dim.max);
  return sizes;
}

Format public_format(linnet::Format format) {
  for (const Format candidate :
       {Format::f32, Format::f16, Format::bf16, Format::q8_0, Format::q8_a, Format::i32}) {
    if (internal_format(candidate) == format) return candidate;
  }
  fail(linnet::ErrorKind::failure, "[tensor] format: ", format, " is not public");
}

}  // namespace

const Tensor::Impl& OneOp::joined(const Tensor& tensor, std::string_view operand) {
  if (!tensor) fail(linnet::ErrorKind::usage, "[", name_, "] ", operand, ": expected a tensor, got none");
  const Tensor::Impl& impl = inside(tensor);
  if (!on_) on_ = impl.on;
  if (impl.on != on_) {
    fail(linnet::ErrorKind::usage, "[", name_, "] ", operand, ": expected a tensor on the same ",
         device().info().backend, " device as the others, got one on another ", impl.device().info().backend,
         " device; tensor.to(device) brings it over");
  }
  return impl;
}

linnet::Device& OneOp::device() const {
  return *on_->device;
}

Value OneOp::input(const Tensor& tensor, std::string_view operand) {
  const Tensor::Impl& impl = joined(tensor, operand);
  const Value value = recorder_.input(impl.internal_shape(), impl.stored(), std::string(operand));
  bind(value, *impl.buffer);
  return value;
}

Value OneOp::weight(const Tensor& tensor, std::string_view operand, Use use) {
  const Tensor::Impl& impl = joined(tensor, operand);
  const size_t rank = use == Use::vector ? 1 : 2;
  const bool integers = impl.format == Format::i32 || impl.format == Format::q8_a;
  if (impl.shape.size() != rank || integers) {
    fail(linnet::ErrorKind::usage, "[", name_, "] ", operand, ": expected ",
         rank == 1 ? "a vector" : "a matrix", " of numbers, got ", impl.internal_shape(), " in ",
         to_string(impl.format));
  }
  const linnet::Format format = use == Use::vector ? linnet::Format::f32 : impl.stored();
  const Value value = recorder_.weight(impl.internal_shape(), format, std::string(operand));
  bind(value, impl.weight(use));
  return value;
}

Value OneOp::optional_weight(const Tensor& tensor, std::string_view operand, Use use) {
  return tensor ? weight(tensor, operand, use) : Value{};
}

Value OneOp::input(std::span<const int32_t> numbers, linnet::Shape shape, std::string name) {
  const Value value = recorder_.input(shape, linnet::Format::i32, std::move(name));
  owned_.push_back(device().allocate(recorder_.program().info(value)));
  device().write(*owned_.back(), 0, std::as_bytes(numbers));
  bind(value, *owned_.back());
  return value;
}

Value OneOp::computed_vector(std::span<const float> numbers, linnet::Shape shape, std::string name) {
  const WeightSpec spec{.name = name,
                        .use = Use::vector,
                        .parts = {{.tensor = name, .shape = shape}},
                        .format = linnet::Format::f32};
  const Value value = recorder_.weight(shape, linnet::Format::f32, std::move(name));
  owned_.push_back(device().load(spec, FloatSource(numbers)));
  bind(value, *owned_.back());
  return value;
}

Value OneOp::state(linnet::Shape shape, linnet::Format format, std::string name) {
  const Value value = recorder_.state(shape, format, std::move(name));
  owned_.push_back(device().allocate(recorder_.program().info(value)));
  bind(value, *owned_.back());
  return value;
}

Value OneOp::output(linnet::Shape shape, linnet::Format format) {
  output_ = recorder_.output(shape, format, "out");
  return output_;
}

linnet::Format OneOp::result_format(Value x) const {
  const linnet::Format own = format(x);
  return traits(own).block_elements == 1 && own != linnet::Format::i32 ? own : linnet::Format::f32;
}

void OneOp::record(Op op) {
  try {
    recorder_.record(std::move(op));
  } catch (const linnet::Error& error) {
    throw linnet::Error(linnet::ErrorKind::usage, error.what());
  }
}

Tensor OneOp::run() {
  const linnet::ValueInfo& info = recorder_.program().info(output_);
  auto result = std::make_shared<Tensor::Impl>(on_, public_shape(info.shape), public_format(info.format));
  result->buffer = device().allocate(info);
  bind(output_, *result->buffer);
  const std::unique_ptr<Executable> executable = device().compile(recorder_.program(), {});
  const std::unique_ptr<Buffer> scratch = device().allocate_scratch(executable->plan().scratch_bytes);
  const std::unique_ptr<Launch> launch = executable->bind(bindings_, *scratch);
  launch->run();
  // Reading one block waits for the run, so that what it uses may go and its error comes out here.
  std::vector<std::byte> block(traits(info.format).block_bytes);
  read_now(device(), *result->buffer, 0, block);
  return Internals::handle(std::move(result));
}

}  // namespace linnet::v0
