#include "text/jinja/parameters.h"

#include "text/jinja/numbers.h"
#include "text/jinja/protocol.h"

namespace linnet::jinja {

Parameters::Parameters(std::string_view function, Arguments arguments,
                       std::initializer_list<std::string_view> names, size_t required)
    : function_(function), values_(names.size()) {
  if (arguments.positional.size() > names.size()) {
    raise(function, "() takes at most ", names.size(), " arguments (", arguments.positional.size(),
          " given)");
  }
  for (size_t i = 0; i < arguments.positional.size(); ++i) values_[i] = std::move(arguments.positional[i]);
  for (auto& [name, value] : arguments.keywords) {
    size_t place = 0;
    while (place < names.size() && names.begin()[place] != name) ++place;
    if (place == names.size()) raise(function, "() got an unexpected keyword argument '", name, "'");
    if (values_[place]) raise(function, "() got multiple values for argument '", name, "'");
    values_[place] = std::move(value);
  }
  for (size_t i = 0; i < required; ++i) {
    if (values_[i]) continue;
    std::string_view name = names.begin()[i];
    if (name.starts_with('/')) name.remove_prefix(1);
    raise(function, "() missing required argument: '", name, "'");
  }
}

const Value* Parameters::get_unless_none(size_t parameter) const {
  const Value* value = get(parameter);
  return value && !value->is_none() ? value : nullptr;
}

const std::string& Parameters::text(size_t parameter) const {
  const Value& value = *values_[parameter];
  require_defined(value);
  if (!value.is_text()) raise(function_, "() argument must be str, not ", type_name(value));
  return value.as_text();
}

std::string_view Parameters::text_or(size_t parameter, std::string_view otherwise) const {
  return has(parameter) ? std::string_view(text(parameter)) : otherwise;
}

int64_t Parameters::index(size_t parameter) const {
  const Value& value = *values_[parameter];
  require_defined(value);
  const std::optional<Integer> integer = integer_of(value);
  if (!integer) raise("'", type_name(value), "' object cannot be interpreted as an integer");
  return to_index(*integer);
}

int64_t Parameters::index_or(size_t parameter, int64_t otherwise) const {
  return has(parameter) ? index(parameter) : otherwise;
}

bool Parameters::truthy_or(size_t parameter, bool otherwise, Budget& budget) const {
  return has(parameter) ? is_truthy(*values_[parameter], budget) : otherwise;
}

Value Parameters::value_or(size_t parameter, const Value& otherwise) const {
  return has(parameter) ? *values_[parameter] : otherwise;
}

void require_no_arguments(std::string_view function, const Arguments& arguments) {
  if (!arguments.positional.empty() || !arguments.keywords.empty()) {
    raise(function, "() takes no arguments (", arguments.positional.size() + arguments.keywords.size(),
          " given)");
  }
}

}  // namespace linnet::jinja
