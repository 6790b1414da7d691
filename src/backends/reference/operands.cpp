#include "backends/reference/operands.h"

#include <algorithm>
#include <cstring>

#include "format/q8_a.h"

namespace linnet::reference {
namespace {

// The largest block that libstdc++'s pools keep: rows of up to half a million numbers.
constexpr std::pmr::pool_options kPools{.max_blocks_per_chunk = 0,
                                        .largest_required_pool_block = size_t{1} << 22};

// Exact, where format/ rounds the product of code and scale to a float.
void decode_q8_a_exactly(const std::byte* bytes, std::span<double> into) {
  for (size_t i = 0; i < into.size(); ++i) {
    Q8ABlock block;
    std::memcpy(&block, bytes + i / Q8ABlock::kElements * sizeof block, sizeof block);
    into[i] = static_cast<double>(block.scale) * block.codes[i % Q8ABlock::kElements];
  }
}

}  // namespace

Operands::Operands(const Program& program, std::vector<Place> places)
    : program_(program), places_(std::move(places)), memory_(kPools) {
  size_t widest = 0;
  for (const Place& place : places_) widest = std::max(widest, place.columns);
  floats_.resize(widest);
}

std::span<float> Operands::floats(size_t count) {
  if (floats_.size() < count) floats_.resize(count);
  return std::span(floats_).first(count);
}

void Operands::read(const Place& place, size_t element, std::span<double> into) {
  if (place.kind == Place::Kind::doubles) {
    std::memcpy(into.data(), place.data + element * sizeof(double), into.size_bytes());
    bytes_touched_ += into.size_bytes();
    return;
  }
  bytes_touched_ += bytes_of(place.format, into.size());
  if (place.kind == Place::Kind::weight) {
    const std::span<float> numbers = floats(into.size());
    place.weight->decode(element, numbers);
    std::ranges::copy(numbers, into.begin());
    return;
  }
  const std::byte* bytes = place.data + bytes_of(place.format, element);
  if (place.format == Format::q8_a) return decode_q8_a_exactly(bytes, into);
  const std::span<float> numbers = floats(into.size());
  decode(place.format, {bytes, bytes_of(place.format, into.size())}, numbers);
  std::ranges::copy(numbers, into.begin());
}

void Operands::write(const Place& place, size_t element, std::span<const double> from) {
  if (place.kind == Place::Kind::doubles) {
    std::memcpy(place.data + element * sizeof(double), from.data(), from.size_bytes());
    bytes_touched_ += from.size_bytes();
    return;
  }
  const std::span<float> numbers = floats(from.size());
  std::ranges::transform(from, numbers.begin(), [](double number) { return static_cast<float>(number); });
  const size_t bytes = bytes_of(place.format, from.size());
  encode(place.format, numbers, {place.data + bytes_of(place.format, element), bytes});
  bytes_touched_ += bytes;
}

void Operands::load_row(Value value, size_t row, std::span<double> into) {
  const Place& at = place(value);
  read(at, row * at.stride + at.offset, into);
}

void Operands::store_row(Value value, size_t row, std::span<const double> from) {
  const Place& at = place(value);
  write(at, row * at.stride + at.offset, from);
}

void Operands::load(Value value, size_t element, std::span<double> into) {
  read(place(value), element, into);
}

void Operands::store(Value value, size_t element, std::span<const double> from) {
  write(place(value), element, from);
}

std::pmr::vector<double> Operands::row(Value value, size_t row) {
  std::pmr::vector<double> numbers(columns(value), memory());
  load_row(value, row, numbers);
  return numbers;
}

int32_t Operands::integer(Value value, size_t index) {
  int32_t number = 0;
  std::memcpy(&number, place(value).data + index * sizeof number, sizeof number);
  bytes_touched_ += sizeof number;
  return number;
}

void Operands::set_integer(Value value, size_t index, int32_t number) {
  std::memcpy(place(value).data + index * sizeof number, &number, sizeof number);
  bytes_touched_ += sizeof number;
}

size_t Operands::index(Value value, std::string_view name, size_t index, size_t limit) {
  const int32_t number = integer(value, index);
  if (number < 0 || static_cast<size_t>(number) >= limit) refuse(name, index, limit, number);
  return static_cast<size_t>(number);
}

void Operands::refuse(std::string_view name, size_t index, size_t limit, int64_t got) const {
  fail(ErrorKind::failure, "[", op_, "] ", name, "[", index, "]: expected a number in [0, ", limit, "), got ",
       got);
}

}  // namespace linnet::reference
