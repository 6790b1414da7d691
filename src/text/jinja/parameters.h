// The arguments of a built-in function by the names of its parameters.
#pragma once

#include <initializer_list>
#include <optional>

#include "text/jinja/value.h"

namespace linnet::jinja {

class Parameters {
 public:
  // names: of all parameters, in order; one that begins with '/' cannot be given by keyword. The first
  // `required` must be given. Raises as Python does where the arguments do not fit.
  Parameters(std::string_view function, Arguments arguments, std::initializer_list<std::string_view> names,
             size_t required);

  // Null if the argument was not given.
  [[nodiscard]] const Value* get(size_t parameter) const {
    return values_[parameter] ? &*values_[parameter] : nullptr;
  }
  [[nodiscard]] bool has(size_t parameter) const { return values_[parameter].has_value(); }
  // As get, but none counts as not given.
  [[nodiscard]] const Value* get_unless_none(size_t parameter) const;

  // The argument as what it has to be, or the default.
  [[nodiscard]] const std::string& text(size_t parameter) const;
  [[nodiscard]] std::string_view text_or(size_t parameter, std::string_view otherwise) const;
  [[nodiscard]] int64_t index(size_t parameter) const;
  [[nodiscard]] int64_t index_or(size_t parameter, int64_t otherwise) const;
  [[nodiscard]] bool truthy_or(size_t parameter, bool otherwise, Budget& budget) const;
  [[nodiscard]] Value value_or(size_t parameter, const Value& otherwise) const;

 private:
  std::string function_;
  std::vector<std::optional<Value>> values_;
};

// For functions without parameters.
void require_no_arguments(std::string_view function, const Arguments& arguments);

}  // namespace linnet::jinja
