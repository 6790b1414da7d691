// URLs, parsed by libcurl so that what is checked here is what libcurl connects to.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace linnet::hub {

struct Url {
  std::string text;    // normalized
  std::string scheme;  // lower case
  std::string host;    // lower case; IPv6 without brackets
  uint16_t port = 0;
  bool has_user = false;  // "user@" or "user:password@"

  [[nodiscard]] bool same_origin(const Url& other) const {
    return scheme == other.scheme && host == other.host && port == other.port;
  }
  // "https://host:port", for messages: query strings of signed URLs are secrets.
  [[nodiscard]] std::string origin() const;
};

// Throws Error(failure).
[[nodiscard]] Url parse_url(std::string_view text);
// Where a Location header leads, seen from a URL.
[[nodiscard]] Url resolve_url(const Url& base, std::string_view location);

// Percent-encodes everything but letters, digits, "-._~" and the characters of `keep`.
[[nodiscard]] std::string percent_encode(std::string_view text, std::string_view keep = {});

}  // namespace linnet::hub
