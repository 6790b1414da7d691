// value.name, value[key] and value[start:stop:step] under Jinja's rules: attribute or item first, the other
// one next, then undefined; and under those of its immutable sandbox.
#pragma once

#include "text/jinja/value.h"

namespace linnet::jinja {

[[nodiscard]] Value get_attribute(const Value& object, std::string_view name, Budget& budget);
[[nodiscard]] Value get_item(const Value& object, const Value& key, Budget& budget);
// Absent bounds are none.
[[nodiscard]] Value get_slice(const Value& object, const Value& start, const Value& stop, const Value& step,
                              Budget& budget);

// A dotted path as the filters take it, "a.b.0" or an integer: each part with get_item.
class AttributePath {
 public:
  AttributePath(const Value& path, Budget& budget);
  [[nodiscard]] Value of(const Value& object, Budget& budget) const;
  // With a default for what is undefined on the way; none is no default.
  [[nodiscard]] Value of(const Value& object, const Value& otherwise, Budget& budget) const;

 private:
  Values parts_;
};

// As Python's slice.indices(): the places that a slice takes from a sequence of that length.
struct SlicePlaces {
  int64_t start;
  int64_t stop;
  int64_t step;
  size_t count;
};
[[nodiscard]] SlicePlaces slice_places(const Value& start, const Value& stop, const Value& step,
                                       size_t length);

}  // namespace linnet::jinja
