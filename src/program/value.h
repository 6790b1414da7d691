// A Value names memory in a program; it owns none.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "format/format.h"
#include "program/shape.h"

namespace linnet {

struct Value {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  uint32_t id = kNone;

  // False for an optional operand that is absent.
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return id != kNone; }
  friend constexpr bool operator==(Value, Value) = default;
};

enum class Storage : uint8_t {
  weight,   // read only, laid out by the device when it is loaded
  state,    // lives across runs: caches, page tables, slots
  input,    // written by the host before a run
  scratch,  // has meaning within one run only; placed by the plan
  output,   // written by a run, read by the host
};

// Columns of another value: the same rows, `offset` elements into each, with the base's row stride.
struct View {
  Value base;
  size_t offset = 0;
};

struct ValueInfo {
  Shape shape;
  Format format = Format::f32;
  Storage storage = Storage::scratch;
  std::string name;
  View view;  // view.base is absent unless this value is a view
};

// How an op touches an operand. `update` reads and writes: what it does not write keeps its value.
enum class Access : uint8_t { read, write, update };

}  // namespace linnet
