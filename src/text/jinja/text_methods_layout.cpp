// Methods of str that fill it to a width, and str.format().
#include <algorithm>

#include "text/jinja/methods.h"
#include "text/jinja/parameters.h"
#include "text/jinja/print.h"
#include "text/jinja/protocol.h"
#include "text/jinja/str_format.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

enum class Side { left, right, center };

// Where the text stands; the rest of the width is filled.
template <Side side>
[[nodiscard]] Value justify(const Value& self, Arguments arguments, Budget& budget) {
  const Parameters parameters("center", std::move(arguments), {"/width", "/fillchar"}, 1);
  const std::string& text = self.as_text();
  const std::string_view fill = parameters.text_or(1, " ");
  if (count_code_points(fill) != 1) raise("The fill character must be exactly one character long");
  const auto length = static_cast<int64_t>(*length_of(self, budget));
  const int64_t width = parameters.index(0);
  const int64_t missing = std::max<int64_t>(width - length, 0);
  // CPython's str.center: the odd space goes left or right by the parity of the width.
  const int64_t before = side == Side::left    ? 0
                         : side == Side::right ? missing
                                               : missing / 2 + (missing & width & 1);
  BoundedText out(budget);
  const auto append_fill = [&](int64_t count) {
    if (fill.size() == 1) return out.append(static_cast<size_t>(count), fill[0]);
    for (int64_t i = 0; i < count; ++i) out.append(fill);
  };
  append_fill(before);
  out.append(text);
  append_fill(missing - before);
  return make_text(budget, out.take());
}

[[nodiscard]] Value zfill(const Value& self, Arguments arguments, Budget& budget) {
  const Parameters parameters("zfill", std::move(arguments), {"/width"}, 1);
  const std::string_view text = self.as_text();
  const int64_t missing = parameters.index(0) - static_cast<int64_t>(*length_of(self, budget));
  if (missing <= 0) return self;
  const size_t sign = text.starts_with('+') || text.starts_with('-') ? 1 : 0;
  BoundedText out(budget);
  out.append(text.substr(0, sign));
  out.append(static_cast<size_t>(missing), '0');
  out.append(text.substr(sign));
  return make_text(budget, out.take());
}

[[nodiscard]] Value expandtabs(const Value& self, Arguments arguments, Budget& budget) {
  const Parameters parameters("expandtabs", std::move(arguments), {"tabsize"}, 0);
  const int64_t size = parameters.index_or(0, 8);
  const std::string_view text = self.as_text();
  BoundedText out(budget);
  int64_t column = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = decode_at(text, at).bytes;
    if (text[at] == '\t') {
      const int64_t spaces = size > 0 ? size - column % size : 0;
      out.append(static_cast<size_t>(spaces), ' ');
      column += spaces;
    } else {
      out.append(text.substr(at, bytes));
      column = text[at] == '\n' || text[at] == '\r' ? 0 : column + 1;
    }
    at += bytes;
  }
  return make_text(budget, out.take());
}

[[nodiscard]] Value format_text(const Value& self, Arguments arguments, Budget& budget) {
  return make_text(budget, format_braces(self.as_text(), arguments, budget));
}

[[nodiscard]] Value format_map(const Value& self, Arguments arguments, Budget& budget) {
  const Parameters parameters("format_map", std::move(arguments), {"/mapping"}, 1);
  const Value& mapping = *parameters.get(0);
  if (!mapping.is_dict()) raise("format_map() argument must be a mapping, not ", type_name(mapping));
  return make_text(budget, format_braces(self.as_text(), mapping, budget));
}

constexpr NamedMethod kLayoutMethods[] = {
    {"center", justify<Side::center>},
    {"expandtabs", expandtabs},
    {"format", format_text},
    {"format_map", format_map},
    {"ljust", justify<Side::left>},
    {"rjust", justify<Side::right>},
    {"zfill", zfill},
};

}  // namespace

Method find_layout_method(std::string_view name) {
  return find_in(kLayoutMethods, name);
}

}  // namespace linnet::jinja
