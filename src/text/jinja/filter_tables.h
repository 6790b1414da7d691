// The groups of filters, one file each, that filters.cpp gathers.
#pragma once

#include <span>

#include "text/jinja/filters.h"

namespace linnet::jinja {

// What several filters compare an element by: texts without their case unless that is asked for.
[[nodiscard]] Value comparable(const Value& value, bool case_sensitive, Budget& budget);

[[nodiscard]] std::span<const NamedFilter> text_filters();
[[nodiscard]] std::span<const NamedFilter> html_filters();
[[nodiscard]] std::span<const NamedFilter> sequence_filters();
[[nodiscard]] std::span<const NamedFilter> order_filters();
[[nodiscard]] std::span<const NamedFilter> lazy_filters();
[[nodiscard]] std::span<const NamedFilter> value_filters();

}  // namespace linnet::jinja
