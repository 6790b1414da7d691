// What a model says of its weights: where the parts of each come from in a file, and how they are joined.
// Models declare specs, runtime joins them to a file, and a device lays the result out as its kernels like.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/format.h"
#include "program/shape.h"

namespace linnet {

// What a weight is used for: decides the layout a device chooses.
enum class Use : uint8_t {
  matrix,  // right-hand side of a product
  table,   // rows are looked up
  tied,    // both of these
  vector,  // norms and biases: small, kept in f32
};

// A tensor of the file. All parts of a weight have the same number of columns.
struct Part {
  std::string tensor;
  Shape shape;            // as a matrix [rows, columns] or a vector [size]
  bool optional = false;  // absent in the file: the weight is left out if all its parts are
};

struct WeightSpec {
  std::string name;
  Use use = Use::matrix;
  std::vector<Part> parts;      // stacked along the rows: q|k|v, gate|up
  Format format = Format::f32;  // as it will be resident; set when it is joined to a file

  [[nodiscard]] Shape shape() const;
};

}  // namespace linnet
