// Methods and attributes of strings, lists, dicts and numbers.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include "text/jinja/value.h"

namespace linnet::jinja {

using Method = Value (*)(const Value& self, Arguments arguments, Budget& budget);

struct NamedMethod {
  std::string_view name;
  Method method;
};

// Null if there is none of that name.
[[nodiscard]] inline Method find_in(std::span<const NamedMethod> methods, std::string_view name) {
  const auto found = std::ranges::find(methods, name, &NamedMethod::name);
  return found == methods.end() ? nullptr : found->method;
}

// The attribute of a value that is no object: a bound method, or what numbers have. Nothing if there is none.
[[nodiscard]] std::optional<Value> find_method(const Value& self, std::string_view name, Budget& budget);
// True iff it would change a list or dict, which Jinja's immutable sandbox refuses.
[[nodiscard]] bool is_mutating_method(const Value& self, std::string_view name);

// Each null if there is no method of that name.
[[nodiscard]] Method find_case_method(std::string_view name);    // upper, isalpha, …
[[nodiscard]] Method find_search_method(std::string_view name);  // find, replace, startswith, …
[[nodiscard]] Method find_split_method(std::string_view name);   // split, strip, partition, join, …
[[nodiscard]] Method find_layout_method(std::string_view name);  // center, zfill, format, …

}  // namespace linnet::jinja
