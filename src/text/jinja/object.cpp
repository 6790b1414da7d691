#include "text/jinja/object.h"

namespace linnet::jinja {
namespace {

class FunctionIterator : public Iterator {
 public:
  explicit FunctionIterator(std::function<std::optional<Value>()> next) : next_(std::move(next)) {}

  std::optional<Value> next() override {
    if (!next_) return std::nullopt;
    std::optional<Value> element = next_();
    if (!element) next_ = nullptr;  // what it held can go
    return element;
  }

 private:
  std::function<std::optional<Value>()> next_;
};

}  // namespace

std::string Object::print(Budget&) const {
  return concat("<", type_name(), " object>");
}

Value Object::call(Arguments, Budget&) {
  raise("'", type_name(), "' object is not callable");
}

std::string Function::print(Budget&) const {
  return concat("<function ", name_, ">");
}

Value host_function(std::string name, Function::Body body) {
  return Value::object(std::make_shared<Function>(std::move(name), std::move(body)));
}

Value make_function(Budget& budget, std::string_view name, Function::Body body, size_t depth) {
  budget.check_value_depth(depth + 1);
  return Value::object(std::make_shared<Function>(std::string(name), std::move(body), depth + 1,
                                                  Charge(budget, sizeof(Function) + 2 * sizeof(Value) + 64)));
}

Generator::Generator(std::shared_ptr<Iterator> elements, std::string_view type_name, size_t depth,
                     Budget& budget)
    : Object(depth), elements_(std::move(elements)), type_name_(type_name), charge_(budget, 256) {
  budget.check_value_depth(depth);
}

Value make_generator(Budget& budget, size_t source_depth, std::function<std::optional<Value>()> next,
                     std::string_view type_name) {
  return Value::object(std::make_shared<Generator>(std::make_shared<FunctionIterator>(std::move(next)),
                                                   type_name, source_depth + 1, budget));
}

}  // namespace linnet::jinja
