#include "text/jinja/web_address.h"

#include <algorithm>
#include <array>

#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

// Python's \w.
[[nodiscard]] bool is_word(char32_t c) {
  return c == '_' || is_alphanumeric(c);
}

[[nodiscard]] bool is_host_character(char32_t c) {
  return c == '%' || c == '-' || is_word(c);
}

// As re.IGNORECASE compares ASCII letters: four others count as one of them.
[[nodiscard]] char32_t folded(char32_t c) {
  if (c >= 'A' && c <= 'Z') return c + ('a' - 'A');
  if (c == 0x130 || c == 0x131) return 'i';
  if (c == 0x17F) return 's';
  return c == 0x212A ? U'k' : c;
}

[[nodiscard]] bool is_letter(char32_t c) {
  return folded(c) >= 'a' && folded(c) <= 'z';
}

template <class Holds>
[[nodiscard]] bool all(std::u32string_view text, const Holds& holds) {
  return std::all_of(text.begin(), text.end(), holds);
}

[[nodiscard]] bool is_between(size_t value, size_t least, size_t most) {
  return value >= least && value <= most;
}

[[nodiscard]] bool equals_folded(std::u32string_view text, std::u32string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char32_t a, char32_t b) { return folded(a) == b; });
}

[[nodiscard]] bool skip_folded(std::u32string_view& text, std::u32string_view prefix) {
  if (!equals_folded(text.substr(0, prefix.size()), prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// [a-z]{2,63} or xn--[\w%]{2,59}
[[nodiscard]] bool is_top_domain(std::u32string_view text) {
  if (is_between(text.size(), 2, 63) && all(text, is_letter)) return true;
  return skip_folded(text, U"xn--") && is_between(text.size(), 2, 59) &&
         all(text, [](char32_t c) { return c == '%' || is_word(c); });
}

// Labels with dots between them: all but the last satisfy one condition, the last another.
template <class IsLabel, class IsLast>
[[nodiscard]] bool is_domain(std::u32string_view text, const IsLabel& is_label, const IsLast& is_last) {
  for (;;) {
    const size_t dot = text.find(U'.');
    if (dot == std::u32string_view::npos) return is_last(text);
    if (!is_label(text.substr(0, dot))) return false;
    text.remove_prefix(dot + 1);
  }
}

[[nodiscard]] bool is_named_host(std::u32string_view host) {
  const auto is_label = [](std::u32string_view label) {
    return !label.empty() && all(label, is_host_character);
  };
  return is_domain(host, is_label, is_top_domain);
}

// Without a scheme only under the oldest top level domains.
[[nodiscard]] bool is_plain_host(std::u32string_view host) {
  static constexpr std::array<std::u32string_view, 8> kTopDomains = {U"com", U"net", U"int",  U"edu",
                                                                     U"gov", U"org", U"info", U"mil"};
  const auto is_label = [](std::u32string_view label) {
    return is_between(label.size(), 2, 63) && all(label, is_host_character);
  };
  const auto is_last = [](std::u32string_view text) {
    return std::any_of(kTopDomains.begin(), kTopDomains.end(),
                       [&](std::u32string_view domain) { return equals_folded(text, domain); });
  };
  return host.find(U'.') != std::u32string_view::npos && is_domain(host, is_label, is_last);
}

[[nodiscard]] bool is_ipv4(std::u32string_view host) {
  const auto is_number = [](std::u32string_view part) {
    return is_between(part.size(), 1, 3) && all(part, is_decimal);
  };
  return std::count(host.begin(), host.end(), U'.') == 3 && is_domain(host, is_number, is_number);
}

// ([\da-f]{0,4}:){2}([\da-f]{0,4}:?){1,6}, the text between the brackets.
[[nodiscard]] bool is_ipv6(std::u32string_view text) {
  const auto is_digit = [](char32_t c) { return is_decimal(c) || (folded(c) >= 'a' && folded(c) <= 'f'); };
  for (int i = 0; i < 2; ++i) {
    const size_t colon = text.find(U':');
    if (colon > 4 || !all(text.substr(0, colon), is_digit)) return false;
    text.remove_prefix(colon + 1);
  }
  size_t groups = 0;  // that it takes at least
  while (!text.empty()) {
    const size_t colon = text.find(U':');
    const std::u32string_view digits = text.substr(0, colon);
    if (!all(digits, is_digit)) return false;
    groups += std::max<size_t>((digits.size() + 3) / 4, 1);
    text.remove_prefix(std::min(digits.size() + 1, text.size()));
  }
  return groups <= 6;
}

// (:\d{1,5})?([/?#].*)?
[[nodiscard]] bool is_port_and_path(std::u32string_view text) {
  if (text.starts_with(U':')) {
    const size_t end = std::min(text.find_first_of(U"/?#"), text.size());
    const std::u32string_view port = text.substr(1, end - 1);
    if (!is_between(port.size(), 1, 5) || !all(port, is_decimal)) return false;
    text.remove_prefix(end);
  }
  return text.empty() || text[0] == '/' || text[0] == '?' || text[0] == '#';
}

}  // namespace

// No name of a host contains what may follow one, so it ends at the first of these.
bool is_web_address(std::u32string_view text) {
  const auto host_end = [](std::u32string_view rest) {
    return std::min(rest.find_first_of(U":/?#"), rest.size());
  };
  std::u32string_view rest = text;
  const bool has_scheme = skip_folded(rest, U"https://") || skip_folded(rest, U"http://");
  if (has_scheme || skip_folded(rest, U"www.")) {
    const size_t end = host_end(rest);
    if (is_named_host(rest.substr(0, end)) && is_port_and_path(rest.substr(end))) return true;
    if (has_scheme && is_ipv4(rest.substr(0, end)) && is_port_and_path(rest.substr(end))) return true;
    const size_t bracket = has_scheme && rest.starts_with(U'[') ? rest.find(U']') : std::u32string_view::npos;
    if (bracket != std::u32string_view::npos && is_ipv6(rest.substr(1, bracket - 1)) &&
        is_port_and_path(rest.substr(bracket + 1)))
      return true;
  }
  const size_t end = host_end(text);
  return is_plain_host(text.substr(0, end)) && is_port_and_path(text.substr(end));
}

bool is_mail_address(std::u32string_view text) {
  const size_t at = text.rfind(U'@');
  if (at == std::u32string_view::npos || at == 0) return false;
  const std::u32string_view host = text.substr(at + 1);
  const size_t dot = host.rfind(U'.');
  if (dot == std::u32string_view::npos || dot == 0 || dot + 1 == host.size()) return false;
  return is_word(host[0]) && all(host.substr(dot + 1), is_word) &&
         all(host, [](char32_t c) { return c == '.' || c == '-' || is_word(c); });
}

bool is_scheme(std::u32string_view text) {
  std::u32string_view rest = text;
  for (int slashes = 0; slashes < 2 && rest.ends_with(U'/'); ++slashes) rest.remove_suffix(1);
  if (!rest.ends_with(U':') || rest.size() < 3) return false;
  rest.remove_suffix(1);
  return all(rest, [](char32_t c) { return c == '.' || c == '+' || c == '-' || is_word(c); });
}

}  // namespace linnet::jinja
