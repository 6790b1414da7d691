// "…%s…" % values: Python's printf-style formatting, also the filter `format`.
#pragma once

#include "text/jinja/value.h"

namespace linnet::jinja {

// values: a tuple of them, a dict for %(name)s, or a single one.
[[nodiscard]] Value format_percent(const Value& format, const Value& values, Budget& budget);

}  // namespace linnet::jinja
