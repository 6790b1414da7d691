// str() and repr() of values, as Python prints them.
#pragma once

#include <algorithm>

#include "text/jinja/value.h"

namespace linnet::jinja {

// Text that grows under a budget.
class BoundedText {
 public:
  explicit BoundedText(Budget& budget) : budget_(budget) {}

  void append(std::string_view piece) {
    grow(piece.size());
    text_ += piece;
  }
  void append(char piece) { append(std::string_view(&piece, 1)); }
  void append(size_t count, char filler) {
    grow(count);
    text_.append(count, filler);
  }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] std::string take() {
    charge_ = {};
    return std::move(text_);
  }
  [[nodiscard]] Budget& budget() noexcept { return budget_; }

 private:
  void grow(size_t bytes) {
    unpaid_ += bytes;
    const size_t needed = text_.size() + bytes;
    if (needed > text_.capacity()) {
      budget_.prepare_text(needed);
      const size_t capacity = std::max(needed, 2 * text_.capacity());
      charge_ = Charge(budget_, capacity);
      text_.reserve(capacity);
    }
    if (unpaid_ >= 64) {
      budget_.spend_bytes(unpaid_);
      unpaid_ = 0;
    }
  }

  Budget& budget_;
  std::string text_;
  Charge charge_;
  size_t unpaid_ = 0;
};

[[nodiscard]] std::string to_text(const Value& value, Budget& budget);
void append_text(BoundedText& out, const Value& value);
void append_repr(BoundedText& out, const Value& value);
[[nodiscard]] std::string to_repr(const Value& value, Budget& budget);
// Quoted and escaped as repr() of a string.
void append_quoted(BoundedText& out, std::string_view text);

}  // namespace linnet::jinja
