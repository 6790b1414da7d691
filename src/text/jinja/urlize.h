// The filter urlize: addresses in a text become links of HTML, as jinja2.utils.urlize() finds them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/budget.h"

namespace linnet::jinja {

struct LinkStyle {
  std::optional<int64_t> most_characters;  // of what is shown; negative: so many less than there are
  std::string rel;                         // empty: the attribute is left out
  std::string target;
  std::vector<std::string> schemes;  // besides http, https and mailto: see is_scheme()
};

// html: escaped already.
[[nodiscard]] std::string urlize(std::string_view html, const LinkStyle& style, Budget& budget);

}  // namespace linnet::jinja
