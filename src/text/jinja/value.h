// The values of a template: Python's, as far as templates can tell. Values are immutable and shared, so
// copying one is cheap; only objects (namespaces, loops, generators) change.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "text/jinja/budget.h"

namespace linnet::jinja {

// 128 bits hold every number that JSON schemas really use as a bound (2⁶⁴ − 1, …); what does not fit is an
// error.
__extension__ typedef __int128 Integer;  // NOLINT(modernize-use-using): __extension__ takes no using

enum class Kind : uint8_t { undefined, none, boolean, integer, floating, text, list, tuple, dict, object };

class Dict;
class Object;
class Value;
using Values = std::vector<Value>;

struct Text {
  std::string bytes;  // UTF-8
  Charge charge;
  bool is_markup = false;  // HTML already: see markup.h
};

// Lists and tuples. depth is 1 + that of the deepest item: bounded, because values are printed, compared and
// destroyed by recursion.
struct Sequence {
  Values items;
  size_t depth;
  Charge charge;
  bool is_group = false;  // a pair made by groupby, which also has the attributes grouper and list
};

class Value {
 public:
  // Out of line, like all that makes or destroys one: inlined everywhere they would be most of the code.
  Value() noexcept;  // none
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();

  [[nodiscard]] static Value none() { return {}; }
  [[nodiscard]] static Value boolean(bool value);
  [[nodiscard]] static Value integer(Integer value);
  [[nodiscard]] static Value floating(double value);
  [[nodiscard]] static Value object(std::shared_ptr<Object> value);
  // For values from outside, which are held against no budget. What templates make comes from make_….
  [[nodiscard]] static Value text(std::string value);
  [[nodiscard]] static Value list(Values items);
  [[nodiscard]] static Value tuple(Values items);
  [[nodiscard]] static Value dict(Dict entries);

  [[nodiscard]] Kind kind() const noexcept { return static_cast<Kind>(data_.index()); }
  [[nodiscard]] bool is(Kind kind) const noexcept { return this->kind() == kind; }
  [[nodiscard]] bool is_undefined() const noexcept { return is(Kind::undefined); }
  [[nodiscard]] bool is_none() const noexcept { return is(Kind::none); }
  [[nodiscard]] bool is_text() const noexcept { return is(Kind::text); }
  [[nodiscard]] bool is_markup() const { return is_text() && std::get<TextRef>(data_)->is_markup; }
  [[nodiscard]] bool is_sequence() const noexcept { return is(Kind::list) || is(Kind::tuple); }
  [[nodiscard]] bool is_dict() const noexcept { return is(Kind::dict); }
  [[nodiscard]] bool is_object() const noexcept { return is(Kind::object); }

  // Each requires the kind that it names.
  [[nodiscard]] const std::string& undefined_reason() const { return std::get<Missing>(data_).reason->bytes; }
  [[nodiscard]] bool as_boolean() const { return std::get<bool>(data_); }
  [[nodiscard]] Integer as_integer() const { return std::get<Integer>(data_); }
  [[nodiscard]] double as_floating() const { return std::get<double>(data_); }
  [[nodiscard]] const std::string& as_text() const { return std::get<TextRef>(data_)->bytes; }
  [[nodiscard]] const Sequence& as_sequence() const;  // list or tuple
  [[nodiscard]] const Values& items() const { return as_sequence().items; }
  [[nodiscard]] const Dict& as_dict() const { return *std::get<DictRef>(data_); }
  [[nodiscard]] const std::shared_ptr<Object>& as_object() const { return std::get<ObjectRef>(data_); }

  // The object if it is one of class T, else null.
  template <class T>
  [[nodiscard]] T* object_as() const {
    return is_object() ? dynamic_cast<T*>(as_object().get()) : nullptr;
  }

  [[nodiscard]] size_t depth() const;
  [[nodiscard]] bool is_same(const Value& other) const;  // Python's `is`

 private:
  friend Value make_undefined(Budget& budget, std::string reason);
  friend Value make_text(Budget& budget, std::string value);
  friend Value make_markup(Budget& budget, std::string value);
  friend Value make_list(Budget& budget, Values items);
  friend Value make_tuple(Budget& budget, Values items);
  friend Value make_group(Budget& budget, Value key, Value items);
  friend Value make_dict(Budget& budget, Dict entries);

  struct Missing {
    std::shared_ptr<const Text> reason;
  };
  using TextRef = std::shared_ptr<const Text>;
  struct ListRef {
    std::shared_ptr<const Sequence> sequence;
  };
  struct TupleRef {
    std::shared_ptr<const Sequence> sequence;
  };
  using DictRef = std::shared_ptr<const Dict>;
  using ObjectRef = std::shared_ptr<Object>;
  // In the order of Kind.
  using Data = std::variant<Missing, std::monostate, bool, Integer, double, TextRef, ListRef, TupleRef,
                            DictRef, ObjectRef>;

  explicit Value(Data data);

  Data data_;
};

// Values that a template makes: counted, and refused beyond the limits.
// reason: what is said when the value is used for more than printing and testing.
[[nodiscard]] Value make_undefined(Budget& budget, std::string reason);
[[nodiscard]] Value make_text(Budget& budget, std::string value);
[[nodiscard]] Value make_markup(Budget& budget, std::string value);
// A text that is marked if the one it was made from is.
[[nodiscard]] Value make_text_like(const Value& origin, Budget& budget, std::string value);
[[nodiscard]] Value make_list(Budget& budget, Values items);
[[nodiscard]] Value make_tuple(Budget& budget, Values items);
[[nodiscard]] Value make_group(Budget& budget, Value key, Value items);
[[nodiscard]] Value make_dict(Budget& budget, Dict entries);

// What a function is called with.
struct Arguments {
  Values positional;
  std::vector<std::pair<std::string, Value>> keywords;
};

}  // namespace linnet::jinja
