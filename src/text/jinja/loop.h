// The variable `loop` inside {% for %}.
#pragma once

#include "text/jinja/frame.h"
#include "text/jinja/object.h"

namespace linnet::jinja {

class Loop : public Object, public Holder {
 public:
  // recurse: renders the loop again over what it is called with, for recursive loops.
  using Recurse = std::function<Value(const Value& iterable, size_t depth)>;
  Loop(Value iterable, std::shared_ptr<Iterator> elements, size_t depth, Recurse recurse, Budget& budget);

  // The element of the next pass; nothing at the end.
  [[nodiscard]] std::optional<Value> advance();

  [[nodiscard]] std::string_view type_name() const override { return "LoopContext"; }
  [[nodiscard]] std::string print(Budget& budget) const override;
  [[nodiscard]] std::optional<Value> attribute(std::string_view name, Budget& budget) override;
  [[nodiscard]] std::optional<size_t> length(Budget& budget) override;
  [[nodiscard]] bool is_callable() const override { return true; }
  [[nodiscard]] Value call(Arguments arguments, Budget& budget) override;
  void release() noexcept override;

 private:
  [[nodiscard]] std::optional<Value> next();
  [[nodiscard]] const std::optional<Value>& peek();
  [[nodiscard]] Value cycle(Arguments arguments) const;
  [[nodiscard]] Value changed(Arguments arguments, Budget& budget);
  [[nodiscard]] std::optional<Value> method(std::string_view name, Budget& budget);

  Value iterable_;
  std::shared_ptr<Iterator> elements_;
  Recurse recurse_;
  size_t depth_;        // of recursion
  Integer index_ = -1;  // from 0
  std::optional<Value> before_;
  std::optional<Value> current_;
  std::optional<Value> after_;  // read ahead for last and nextitem
  bool has_peeked_ = false;
  std::optional<size_t> length_;
  std::optional<Values> last_changed_;
  Charge charge_;
};

}  // namespace linnet::jinja
