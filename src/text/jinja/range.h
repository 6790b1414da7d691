// range(start, stop, step): numbers that are counted, not stored.
#pragma once

#include "text/jinja/access.h"
#include "text/jinja/object.h"

namespace linnet::jinja {

class Range : public Object {
 public:
  Range(int64_t start, int64_t stop, int64_t step, size_t size, Budget& budget)
      : start_(start), stop_(stop), step_(step), size_(size), charge_(budget, sizeof(Range) + 64) {}

  [[nodiscard]] size_t size() const noexcept { return size_; }
  [[nodiscard]] Integer at(size_t place) const {
    return Integer{start_} + Integer{step_} * static_cast<Integer>(place);
  }
  [[nodiscard]] Value slice(const SlicePlaces& places, Budget& budget) const;

  [[nodiscard]] std::string_view type_name() const override { return "range"; }
  [[nodiscard]] std::string print(Budget& budget) const override;
  [[nodiscard]] bool truthy(Budget&) override { return size_ > 0; }
  [[nodiscard]] std::optional<size_t> length(Budget&) override { return size_; }
  [[nodiscard]] std::shared_ptr<Iterator> iterate(Budget& budget) override;
  [[nodiscard]] std::optional<Value> attribute(std::string_view name, Budget& budget) override;
  [[nodiscard]] std::optional<Value> item(const Value& key, Budget& budget) override;
  [[nodiscard]] bool equals(const Object& other, Budget& budget) override;

 private:
  int64_t start_;
  int64_t stop_;
  int64_t step_;
  size_t size_;
  Charge charge_;
};

// The global function: range(stop) or range(start, stop[, step]), refused beyond the sandbox's 100000
// numbers.
[[nodiscard]] Value make_range(Arguments arguments, Budget& budget);

}  // namespace linnet::jinja
