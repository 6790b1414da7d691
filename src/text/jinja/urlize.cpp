#include "text/jinja/urlize.h"

#include <algorithm>
#include <array>

#include "text/jinja/markup.h"
#include "text/jinja/print.h"
#include "text/jinja/unicode.h"
#include "text/jinja/web_address.h"

namespace linnet::jinja {
namespace {

constexpr std::array<std::string_view, 3> kOpening = {"(", "<", "&lt;"};
constexpr std::array<std::string_view, 3> kClosing = {")", ">", "&gt;"};

[[nodiscard]] size_t count(std::string_view text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

struct Word {
  std::string_view head, middle, tail;
};

// Brackets and punctuation around an address; closing ones that the middle has opened belong to it.
[[nodiscard]] Word take_apart(std::string_view word) {
  size_t begin = 0;
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view opening : kOpening) {
      if (!word.substr(begin).starts_with(opening)) continue;
      begin += opening.size();
      more = true;
    }
  }
  size_t end = word.size();
  while (end > begin) {
    const std::string_view rest = word.substr(begin, end - begin);
    if (rest.ends_with("&gt;")) {
      end -= 4;
    } else if (std::string_view(")>.,").find(rest.back()) != std::string_view::npos) {
      --end;
    } else {
      break;
    }
  }
  for (size_t i = 0; i < kOpening.size(); ++i) {
    const std::string_view middle = word.substr(begin, end - begin);
    const size_t opened = count(middle, kOpening[i]);
    if (opened <= count(middle, kClosing[i])) continue;
    for (size_t moved = 0; moved < opened; ++moved) {
      const size_t closing = word.find(kClosing[i], end);
      if (closing == std::string_view::npos) break;
      end = closing + kClosing[i].size();
    }
  }
  return {word.substr(0, begin), word.substr(begin, end - begin), word.substr(end)};
}

class Linker {
 public:
  Linker(const LinkStyle& style, BoundedText& out) : style_(style), out_(out) {
    if (!style.rel.empty()) attributes_ += concat(" rel=\"", escape_html(style.rel, out.budget()), "\"");
    if (!style.target.empty())
      attributes_ += concat(" target=\"", escape_html(style.target, out.budget()), "\"");
  }

  void append(std::string_view word) {
    const Word parts = take_apart(word);
    out_.append(parts.head);
    append_address(parts.middle);
    out_.append(parts.tail);
  }

 private:
  void append_address(std::string_view text) {
    const std::u32string characters = to_code_points(text);
    const std::u32string_view view = characters;
    const bool has_at = view.find(U'@') != std::u32string_view::npos;
    if (is_web_address(view)) {
      const bool has_scheme = text.starts_with("https://") || text.starts_with("http://");
      append_link(has_scheme ? "" : "https://", text, attributes_, shown(text, characters.size()));
    } else if (text.starts_with("mailto:") && is_mail_address(view.substr(7))) {
      append_link("", text, "", text.substr(7));
    } else if (has_at && !text.starts_with("www.") && !text.starts_with('@') &&
               text.find(':') == std::string_view::npos && is_mail_address(view)) {
      append_link("mailto:", text, "", text);
    } else if (std::any_of(style_.schemes.begin(), style_.schemes.end(),
                           [&](const std::string& s) { return text != s && text.starts_with(s); })) {
      append_link("", text, attributes_, text);
    } else {
      out_.append(text);
    }
  }

  void append_link(std::string_view scheme, std::string_view address, std::string_view attributes,
                   std::string_view text) {
    out_.append("<a href=\"");
    out_.append(scheme);
    out_.append(address);
    out_.append('"');
    out_.append(attributes);
    out_.append('>');
    out_.append(text);
    out_.append("</a>");
  }

  [[nodiscard]] std::string shown(std::string_view text, size_t characters) const {
    const auto length = static_cast<int64_t>(characters);
    if (!style_.most_characters || length <= *style_.most_characters) return std::string(text);
    const int64_t kept = *style_.most_characters < 0 ? std::max<int64_t>(length + *style_.most_characters, 0)
                                                     : *style_.most_characters;
    return concat(text.substr(0, byte_offset(text, static_cast<size_t>(kept))), "...");
  }

  const LinkStyle& style_;
  BoundedText& out_;
  std::string attributes_;
};

}  // namespace

std::string urlize(std::string_view html, const LinkStyle& style, Budget& budget) {
  budget.prepare_text(4 * html.size());
  budget.spend_characters(4 * html.size());
  BoundedText out(budget);
  Linker linker(style, out);
  while (!html.empty()) {
    const bool in_space = is_space(decode(html).value);
    size_t end = 0;
    while (end < html.size() && is_space(decode_at(html, end).value) == in_space)
      end += decode_at(html, end).bytes;
    const std::string_view word = html.substr(0, end);
    html.remove_prefix(end);
    if (in_space) {
      out.append(word);
    } else {
      budget.spend(1 + style.schemes.size());
      linker.append(word);
    }
  }
  return out.take();
}

}  // namespace linnet::jinja
