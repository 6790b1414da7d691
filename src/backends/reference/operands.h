// What a kernel sees of its operands: numbers as float64, whatever their storage, and integers that were
// looked at before they are used as an index. Counts the bytes it hands out and takes in.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

#include "backends/reference/weight.h"
#include "program/program.h"

namespace linnet::reference {

// Where a value lies.
struct Place {
  enum class Kind : uint8_t {
    doubles,  // scratch in a number format: unrounded float64
    bytes,    // the value's format
    weight,
  };
  Kind kind = Kind::bytes;
  Format format = Format::f32;
  std::byte* data = nullptr;  // of the base if the value is a view
  const Weight* weight = nullptr;
  size_t offset = 0;  // elements before the first of each row
  size_t stride = 0;  // elements from row to row
  size_t columns = 0;
};

class Operands {
 public:
  Operands(const Program& program, std::vector<Place> places);

  void begin_run(std::span<const uint32_t> extents) noexcept { extents_ = extents; }
  void begin_op(std::string_view op) noexcept { op_ = op; }
  [[nodiscard]] uint64_t bytes_touched() const noexcept { return bytes_touched_; }
  // For rows and tables inside a kernel; keeps what it has, so that later runs allocate nothing.
  [[nodiscard]] std::pmr::memory_resource* memory() noexcept { return &memory_; }

  // The count that this run has for a dimension.
  [[nodiscard]] size_t count(Dim dim) const noexcept { return dim.fixed() ? dim.max : extents_[dim.extent]; }
  [[nodiscard]] size_t rows(Value value) const noexcept { return count(shape(value).rows()); }
  [[nodiscard]] size_t columns(Value value) const noexcept { return place(value).columns; }
  [[nodiscard]] const Shape& shape(Value value) const { return program_.shape(value); }
  // Of each row, the numbers along the last dimension.
  [[nodiscard]] size_t width(Value value) const { return shape(value).back().max; }

  void load_row(Value value, size_t row, std::span<double> into);
  void store_row(Value value, size_t row, std::span<const double> from);
  // Elements of a value that is no view, counted through all its dimensions.
  void load(Value value, size_t element, std::span<double> into);
  void store(Value value, size_t element, std::span<const double> from);
  // A row, in memory that lives as long as the kernel wants.
  [[nodiscard]] std::pmr::vector<double> row(Value value, size_t row);

  [[nodiscard]] int32_t integer(Value value, size_t index);
  void set_integer(Value value, size_t index, int32_t number);
  // An integer in [0, limit); otherwise throws Error("[op] name[index]: expected …, got …").
  [[nodiscard]] size_t index(Value value, std::string_view name, size_t index, size_t limit);
  // Throws the error of an integer that lies outside [0, limit).
  [[noreturn]] void refuse(std::string_view name, size_t index, size_t limit, int64_t got) const;

 private:
  [[nodiscard]] const Place& place(Value value) const noexcept { return places_[value.id]; }
  void read(const Place& place, size_t element, std::span<double> into);
  void write(const Place& place, size_t element, std::span<const double> from);
  [[nodiscard]] std::span<float> floats(size_t count);

  const Program& program_;
  std::vector<Place> places_;
  std::span<const uint32_t> extents_;
  std::string_view op_;
  uint64_t bytes_touched_ = 0;
  std::vector<float> floats_;
  std::pmr::unsynchronized_pool_resource memory_;
};

}  // namespace linnet::reference
