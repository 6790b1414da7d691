// Dates as Python's datetime.strftime prints them, whatever the locale of the process.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

#include "text/jinja/budget.h"

namespace linnet::jinja {

struct DateTime {
  std::tm time{};
  int microsecond = 0;
};

// ISO 8601: 2026-11-15, 2026-11-15T12:34, 2026-11-15T12:34:56[.123456]; a zone at the end is ignored, as the
// time is printed as it stands. Throws Error(usage) for anything else.
[[nodiscard]] DateTime parse_date_time(std::string_view text);
[[nodiscard]] DateTime local_time_now();

[[nodiscard]] std::string format_date_time(const DateTime& time, std::string_view format, Budget& budget);

}  // namespace linnet::jinja
