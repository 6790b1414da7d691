// What Jinja2 takes for an address (jinja2/utils.py): the same languages as its regular expressions, in
// linear time.
#pragma once

#include <string_view>

namespace linnet::jinja {

// With http:// or https://, or a host that begins with www. or has one of the oldest top level domains. The
// text has no white space.
[[nodiscard]] bool is_web_address(std::u32string_view text);
// \S+@\w[\w.-]*\.\w+
[[nodiscard]] bool is_mail_address(std::u32string_view text);
// [\w.+-]{2,}:/{0,2}, as in "tel:" and "ftp://".
[[nodiscard]] bool is_scheme(std::u32string_view text);

}  // namespace linnet::jinja
