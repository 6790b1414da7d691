// The filter wordwrap: Python's textwrap.wrap() of one line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/jinja/budget.h"

namespace linnet::jinja {

struct WrapStyle {
  size_t width = 79;  // in code points, at least 1
  bool breaks_long_words = true;
  bool splits_at_hyphens = true;    // a hyphen inside a word ends a chunk
  bool breaks_after_hyphen = true;  // a long word is broken after a hyphen where it has one
};

// line: without line breaks.
[[nodiscard]] std::vector<std::string> wrap_line(std::string_view line, const WrapStyle& style,
                                                 Budget& budget);

}  // namespace linnet::jinja
