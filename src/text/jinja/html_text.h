// HTML back to text: the filter striptags, as markupsafe and Python's html.unescape() do it.
#pragma once

#include <string>
#include <string_view>

#include "text/jinja/budget.h"

namespace linnet::jinja {

// Without comments and tags, runs of white space as one space, character references replaced.
[[nodiscard]] std::string strip_tags(std::string_view html, Budget& budget);
// &lt;, &#60;, &#x3c; and the like replaced, by HTML 5's rules also for wrong ones.
[[nodiscard]] std::string unescape_html(std::string_view html, Budget& budget);

}  // namespace linnet::jinja
