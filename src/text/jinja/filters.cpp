#include "text/jinja/filters.h"

#include <algorithm>

#include "text/jinja/filter_tables.h"

namespace linnet::jinja {

Filter find_filter(std::string_view name) {
  for (const auto table : {text_filters(), html_filters(), sequence_filters(), order_filters(),
                           lazy_filters(), value_filters()}) {
    const auto found =
        std::find_if(table.begin(), table.end(), [&](const NamedFilter& f) { return f.name == name; });
    if (found != table.end()) return found->filter;
  }
  return nullptr;
}

}  // namespace linnet::jinja
