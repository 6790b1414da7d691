#include "api/tensor.h"

#include <cstring>

#include "format/format.h"

namespace linnet::v0 {
namespace {

// Lets a device load a weight from memory that it holds already.
class BufferSource : public ByteSource {
 public:
  BufferSource(linnet::Device& device, const Buffer& buffer, linnet::Format format)
      : device_(device), buffer_(buffer), format_(format) {}
  [[nodiscard]] linnet::Format format(size_t) const override { return format_; }
  [[nodiscard]] std::span<const std::byte> mapped(size_t) const override { return {}; }
  void read(size_t, size_t offset, std::span<std::byte> into) const override {
    read_now(device_, buffer_, offset, into);
  }

 private:
  linnet::Device& device_;
  const Buffer& buffer_;
  linnet::Format format_;
};

void check_shape(const Shape& shape, Format format) {
  if (shape.empty() || shape.size() > linnet::Shape::kMaxRank) {
    fail(linnet::ErrorKind::usage, "[tensor] shape: expected 1 to ", linnet::Shape::kMaxRank,
         " dimensions, got ", shape.size());
  }
  size_t elements = 1;
  for (const uint32_t size : shape) {
    if (size == 0) fail(linnet::ErrorKind::usage, "[tensor] shape: expected no empty dimension");
    const auto product = checked_multiply(elements, size);
    // No format takes more than 8 bytes for an element: the bytes can be counted too.
    if (!product || *product > SIZE_MAX / 8)
      fail(linnet::ErrorKind::usage, "[tensor] shape: the size does not fit in 64 bits");
    elements = *product;
  }
  const uint32_t block = traits(internal_format(format)).block_elements;
  if (shape.back() % block != 0) {
    fail(linnet::ErrorKind::usage, "[tensor] shape: rows of ", to_string(format), " must be multiples of ",
         block, ", got ", shape.back());
  }
}

std::shared_ptr<Tensor::Impl> made(Shape shape, const Device& device, Format format, size_t values) {
  auto impl = std::make_shared<Tensor::Impl>(Internals::shared(device), std::move(shape), format);
  if (values != impl->elements()) {
    fail(linnet::ErrorKind::usage, "[tensor] values: expected ", impl->elements(), " for the shape ",
         impl->internal_shape(), ", got ", values);
  }
  impl->buffer = impl->device().allocate({.shape = impl->internal_shape(),
                                          .format = impl->stored(),
                                          .storage = Storage::input,
                                          .name = "tensor",
                                          .view = {}});
  return impl;
}

}  // namespace

linnet::Format internal_format(Format format) {
  switch (format) {
    case Format::f32:
      return linnet::Format::f32;
    case Format::f16:
      return linnet::Format::f16;
    case Format::bf16:
      return linnet::Format::bf16;
    case Format::q8_0:
      return linnet::Format::q8_0;
    case Format::q8_a:
      return linnet::Format::q8_a;
    case Format::i32:
      return linnet::Format::i32;
  }
  fail(linnet::ErrorKind::usage, "[tensor] format: ", static_cast<int>(format), " is none");
}

std::string_view to_string(Format format) noexcept {
  switch (format) {
    case Format::f32:
      return "f32";
    case Format::f16:
      return "f16";
    case Format::bf16:
      return "bf16";
    case Format::q8_0:
      return "q8_0";
    case Format::q8_a:
      return "q8_a";
    case Format::i32:
      return "i32";
  }
  return "?";
}

const Tensor::Impl& inside(const Tensor& tensor) {
  if (!tensor) fail(linnet::ErrorKind::usage, "[tensor] expected a tensor, got none");
  return *Internals::shared(tensor);
}

Tensor::Impl::Impl(std::shared_ptr<Device::Impl> owner, Shape dims, Format element)
    : on(std::move(owner)), shape(std::move(dims)), format(element) {
  check_shape(shape, format);
}

linnet::Format Tensor::Impl::stored() const noexcept {
  return internal_format(format);
}

linnet::Shape Tensor::Impl::internal_shape() const {
  const std::vector<Dim> dims(shape.begin(), shape.end());
  return linnet::Shape(dims);
}

std::vector<std::byte> Tensor::Impl::read() const {
  std::vector<std::byte> into(bytes());
  read_now(device(), *buffer, 0, into);
  return into;
}

void Tensor::Impl::write(std::span<const std::byte> from) {
  device().write(*buffer, 0, from);
}

Buffer& Tensor::Impl::weight(Use use) const {
  std::unique_ptr<Buffer>& loaded = weights[use];
  if (!loaded) {
    // Vectors are kept in f32 (program/weight_spec.h); everything else stays as it is.
    const WeightSpec spec{.name = "tensor",
                          .use = use,
                          .parts = {{.tensor = "tensor", .shape = internal_shape()}},
                          .format = use == Use::vector ? linnet::Format::f32 : stored()};
    loaded = device().load(spec, BufferSource(device(), *buffer, stored()));
  }
  return *loaded;
}

Tensor Tensor::from_floats(std::span<const float> values, Shape shape, const Device& device, Format format) {
  return at_boundary([&] {
    if (format == Format::i32)
      fail(linnet::ErrorKind::usage, "[tensor] format: integers come from from_integers()");
    auto impl = made(std::move(shape), device, format, values.size());
    std::vector<std::byte> bytes(impl->bytes());
    encode(impl->stored(), values, bytes);
    impl->write(bytes);
    return Tensor(std::move(impl));
  });
}

Tensor Tensor::from_integers(std::span<const int32_t> values, Shape shape, const Device& device) {
  return at_boundary([&] {
    auto impl = made(std::move(shape), device, Format::i32, values.size());
    impl->write(std::as_bytes(values));
    return Tensor(std::move(impl));
  });
}

Tensor Tensor::from_bytes(std::span<const std::byte> bytes, Shape shape, const Device& device,
                          Format format) {
  return at_boundary([&] {
    const Impl wanted(Internals::shared(device), shape, format);
    if (bytes.size() != wanted.bytes()) {
      fail(linnet::ErrorKind::usage, "[tensor] bytes: expected ", wanted.bytes(), " for the shape ",
           wanted.internal_shape(), " in ", to_string(format), ", got ", bytes.size());
    }
    auto impl = made(std::move(shape), device, format, wanted.elements());
    impl->write(bytes);
    return Tensor(std::move(impl));
  });
}

const Shape& Tensor::shape() const {
  return at_boundary([&]() -> const Shape& { return inside(*this).shape; });
}

Format Tensor::format() const {
  return at_boundary([&] { return inside(*this).format; });
}

Device Tensor::device() const {
  return at_boundary([&] { return Internals::handle(inside(*this).on); });
}

size_t Tensor::elements() const {
  return at_boundary([&] { return inside(*this).elements(); });
}

size_t Tensor::bytes() const {
  return at_boundary([&] { return inside(*this).bytes(); });
}

std::vector<float> Tensor::to_floats() const {
  return at_boundary([&] {
    const Impl& impl = inside(*this);
    std::vector<float> values(impl.elements());
    decode(impl.stored(), impl.read(), values);
    return values;
  });
}

std::vector<int32_t> Tensor::to_integers() const {
  return at_boundary([&] {
    const Impl& impl = inside(*this);
    if (impl.format != Format::i32) {
      fail(linnet::ErrorKind::usage, "[tensor] to_integers: expected i32, got ", to_string(impl.format));
    }
    const std::vector<std::byte> bytes = impl.read();
    std::vector<int32_t> values(impl.elements());
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  });
}

std::vector<std::byte> Tensor::to_bytes() const {
  return at_boundary([&] { return inside(*this).read(); });
}

Tensor Tensor::to(const Device& device) const {
  return at_boundary([&] {
    const Impl& impl = inside(*this);
    if (Internals::shared(device) == impl.on) return *this;
    auto copy = made(impl.shape, device, impl.format, impl.elements());
    copy->write(impl.read());
    return Tensor(std::move(copy));
  });
}

}  // namespace linnet::v0
