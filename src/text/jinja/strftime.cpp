#include "text/jinja/strftime.h"

#include <chrono>
#include <clocale>
#include <memory>

#include "text/jinja/print.h"

namespace linnet::jinja {
namespace {

struct FreeLocale {
  void operator()(locale_t locale) const { freelocale(locale); }
};
using Locale = std::unique_ptr<std::remove_pointer_t<locale_t>, FreeLocale>;

class IsoReader {
 public:
  explicit IsoReader(std::string_view text) : text_(text) {}

  [[nodiscard]] int number(size_t digits) {
    int value = 0;
    for (size_t i = 0; i < digits; ++i) {
      if (text_.empty() || text_[0] < '0' || text_[0] > '9') refuse();
      value = value * 10 + (text_[0] - '0');
      text_.remove_prefix(1);
    }
    return value;
  }
  [[nodiscard]] bool take(char c) {
    if (!text_.starts_with(c)) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) refuse();
  }
  [[nodiscard]] std::string_view rest() const { return text_; }
  [[noreturn]] static void refuse() {
    fail(ErrorKind::usage, "[template] now: expected a time like 2026-11-15T12:34:56");
  }

 private:
  std::string_view text_;
};

[[nodiscard]] int microseconds(IsoReader& reader) {
  int value = 0;
  int digits = 0;
  while (!reader.rest().empty() && reader.rest()[0] >= '0' && reader.rest()[0] <= '9' && digits < 6) {
    value = value * 10 + reader.number(1);
    ++digits;
  }
  if (digits == 0) IsoReader::refuse();
  for (; digits < 6; ++digits) value *= 10;
  return value;
}

// One directive, from its % to its letter.
[[nodiscard]] std::string format_directive(const DateTime& time, const std::string& directive,
                                           locale_t locale) {
  switch (directive.back()) {
    case 'f': {
      std::string digits = std::to_string(time.microsecond);
      return std::string(6 - std::min<size_t>(digits.size(), 6), '0') + digits;
    }
    case 'z':
    case 'Z':
      return "";  // a time without a zone
    default:
      break;
  }
  char buffer[512];
  const size_t length = strftime_l(buffer, sizeof buffer, directive.c_str(), &time.time, locale);
  if (length == 0) raise("strftime: the directive ", directive, " gives no text that fits");
  return std::string(buffer, length);
}

}  // namespace

DateTime parse_date_time(std::string_view text) {
  IsoReader reader(text);
  DateTime result;
  std::tm& time = result.time;
  time.tm_year = reader.number(4) - 1900;
  reader.expect('-');
  time.tm_mon = reader.number(2) - 1;
  reader.expect('-');
  time.tm_mday = reader.number(2);
  if (reader.take('T') || reader.take(' ')) {
    time.tm_hour = reader.number(2);
    reader.expect(':');
    time.tm_min = reader.number(2);
    if (reader.take(':')) time.tm_sec = reader.number(2);
    if (reader.take('.')) result.microsecond = microseconds(reader);
  }
  const std::string_view rest = reader.rest();
  const bool zone = rest.empty() || rest == "Z" || rest[0] == '+' || rest[0] == '-';
  const bool in_range = time.tm_mon >= 0 && time.tm_mon < 12 && time.tm_mday >= 1 && time.tm_mday <= 31 &&
                        time.tm_hour < 24 && time.tm_min < 60 && time.tm_sec < 60;
  if (!zone || !in_range) IsoReader::refuse();
  // The day of the week and of the year, without the local time zone having a say.
  const std::tm given = time;
  const std::time_t seconds = timegm(&time);
  if (time.tm_mday != given.tm_mday) IsoReader::refuse();  // February 30
  gmtime_r(&seconds, &time);
  time.tm_isdst = -1;
  return result;
}

DateTime local_time_now() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  DateTime result;
  localtime_r(&seconds, &result.time);
  const auto since_epoch =
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count();
  result.microsecond = static_cast<int>(since_epoch % 1'000'000);
  return result;
}

std::string format_date_time(const DateTime& time, std::string_view format, Budget& budget) {
  const Locale locale(newlocale(LC_ALL_MASK, "C", nullptr));
  BoundedText out(budget);
  for (size_t at = 0; at < format.size();) {
    const size_t percent = std::min(format.find('%', at), format.size());
    out.append(format.substr(at, percent - at));
    at = percent;
    if (at == format.size()) break;
    // glibc's flags and widths, as in %-d, which Python passes on.
    size_t end = format.find_first_not_of("-_0^#123456789EO", at + 1);
    if (end == std::string_view::npos || format[end] == '\0')
      raise("strftime: incomplete directive at the end");
    const size_t digits = end - at;
    if (digits > 8) raise("strftime: directive too long");
    budget.spend(8);
    out.append(format_directive(time, std::string(format.substr(at, end + 1 - at)), locale.get()));
    at = end + 1;
  }
  return out.take();
}

}  // namespace linnet::jinja
