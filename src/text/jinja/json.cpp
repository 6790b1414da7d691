#include "text/jinja/json.h"

#include <nlohmann/json.hpp>

#include "text/jinja/dict.h"
#include "text/jinja/numbers.h"

namespace linnet::jinja {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxDepth = 100;  // half of Options::max_value_depth, so that templates can add levels

// Takes the events of nlohmann's parser, because its own values would lose digits and, for objects in order,
// search every key one by one.
class ValueBuilder : public nlohmann::json_sax<Json> {
 public:
  [[nodiscard]] Value take() { return std::move(result_); }

  bool null() override { return add(Value::none()); }
  bool boolean(bool value) override { return add(Value::boolean(value)); }
  bool number_integer(number_integer_t value) override { return add(Value::integer(value)); }
  bool number_unsigned(number_unsigned_t value) override { return add(Value::integer(value)); }
  // Also called for integers of more than 64 bits.
  bool number_float(number_float_t value, const string_t& digits) override {
    const bool is_integer = digits.find_first_of(".eE") == std::string::npos;
    return add(is_integer ? Value::integer(*parse_integer(digits)) : Value::floating(value));
  }
  bool string(string_t& value) override { return add(Value::text(std::move(value))); }
  bool binary(binary_t&) override { return false; }  // JSON has none

  bool start_object(size_t) override { return open(true); }
  bool start_array(size_t) override { return open(false); }
  bool key(string_t& name) override {
    open_.back().key = std::move(name);
    return true;
  }
  bool end_object() override {
    Dict entries = std::move(open_.back().entries);
    open_.pop_back();
    return add(Value::dict(std::move(entries)));
  }
  bool end_array() override {
    Values items = std::move(open_.back().items);
    open_.pop_back();
    return add(Value::list(std::move(items)));
  }

  bool parse_error(size_t, const std::string&, const Json::exception& error) override {
    const std::string_view message = error.what();  // "[json.exception.parse_error.101] parse error at …"
    fail(ErrorKind::usage, "[template] JSON: ", message.substr(message.find("] ") + 2));
  }

 private:
  struct Open {
    bool is_object;
    Dict entries;
    Values items;
    std::string key;
  };

  bool open(bool is_object) {
    if (open_.size() == kMaxDepth)
      fail(ErrorKind::usage, "[template] JSON: nested more than ", kMaxDepth, " deep");
    open_.push_back({is_object, {}, {}, {}});
    return true;
  }

  bool add(Value value) {
    if (open_.empty()) {
      result_ = std::move(value);
    } else if (open_.back().is_object) {
      open_.back().entries.set(open_.back().key, std::move(value));
    } else {
      open_.back().items.push_back(std::move(value));
    }
    return true;
  }

  std::vector<Open> open_;
  Value result_;
};

}  // namespace

Value parse_json(std::string_view text) {
  ValueBuilder builder;
  try {
    (void)Json::sax_parse(text.begin(), text.end(), &builder);
  } catch (const Failure& failure) {  // an integer of more than 128 bits
    fail(ErrorKind::usage, "[template] JSON: ", failure.what());
  }
  return builder.take();
}

}  // namespace linnet::jinja
