// Values with behaviour: macros, methods, loops, namespaces, generators. Each says of Python's protocols only
// those that it has.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "text/jinja/value.h"

namespace linnet::jinja {

class Iterator {
 public:
  virtual ~Iterator() = default;
  virtual std::optional<Value> next() = 0;
};

class Object : public std::enable_shared_from_this<Object> {
 public:
  // depth: of the values that it holds for good, so that chains of generators are bounded like nested lists.
  explicit Object(size_t depth = 0) : depth_(depth) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;

  [[nodiscard]] size_t depth() const noexcept { return depth_; }
  [[nodiscard]] virtual std::string_view type_name() const = 0;  // as Python's messages name it
  [[nodiscard]] virtual std::string print(Budget& budget) const;
  [[nodiscard]] virtual bool truthy(Budget&) { return true; }
  [[nodiscard]] virtual std::optional<size_t> length(Budget&) { return std::nullopt; }
  // Null if it cannot be iterated.
  [[nodiscard]] virtual std::shared_ptr<Iterator> iterate(Budget&) { return nullptr; }
  [[nodiscard]] virtual std::optional<Value> attribute(std::string_view, Budget&) { return std::nullopt; }
  [[nodiscard]] virtual std::optional<Value> item(const Value&, Budget&) { return std::nullopt; }
  [[nodiscard]] virtual bool is_callable() const { return false; }
  [[nodiscard]] virtual Value call(Arguments arguments, Budget& budget);
  [[nodiscard]] virtual bool equals(const Object& other, Budget&) { return this == &other; }

 private:
  size_t depth_;
};

// A function or a method bound to its value.
class Function : public Object {
 public:
  using Body = std::function<Value(Arguments arguments, Budget& budget)>;
  Function(std::string name, Body body, size_t depth = 0, Charge charge = {})
      : Object(depth), name_(std::move(name)), body_(std::move(body)), charge_(std::move(charge)) {}

  [[nodiscard]] std::string_view type_name() const override { return "function"; }
  [[nodiscard]] std::string print(Budget& budget) const override;
  [[nodiscard]] bool is_callable() const override { return true; }
  [[nodiscard]] Value call(Arguments arguments, Budget& budget) override {
    return body_(std::move(arguments), budget);
  }

 private:
  std::string name_;
  Body body_;
  Charge charge_;
};

// A function from outside, which lives longer than one rendering.
[[nodiscard]] Value host_function(std::string name, Function::Body body);
// depth: of the value that a method is bound to.
[[nodiscard]] Value make_function(Budget& budget, std::string_view name, Function::Body body, size_t depth);

// What map, select, items and the like return: elements come when they are asked for, once.
class Generator : public Object {
 public:
  Generator(std::shared_ptr<Iterator> elements, std::string_view type_name, size_t depth, Budget& budget);

  [[nodiscard]] std::string_view type_name() const override { return type_name_; }
  [[nodiscard]] std::shared_ptr<Iterator> iterate(Budget&) override { return elements_; }

 private:
  std::shared_ptr<Iterator> elements_;
  std::string_view type_name_;
  Charge charge_;
};

// next returns the elements one by one, then nothing. source_depth: of the values that it holds.
[[nodiscard]] Value make_generator(Budget& budget, size_t source_depth,
                                   std::function<std::optional<Value>()> next,
                                   std::string_view type_name = "generator");

}  // namespace linnet::jinja
