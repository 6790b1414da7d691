#include "files/hub/url.h"

#include <curl/curl.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/error.h"
#include "base/quoted.h"
#include "files/hub/names.h"

namespace linnet::hub {
namespace {

using Handle = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;

Handle make_handle() {
  Handle handle(curl_url(), curl_url_cleanup);
  if (!handle) fail(ErrorKind::failure, "hub: out of memory");
  return handle;
}

// Empty if the URL has no such part.
std::string part(CURLU* handle, CURLUPart which, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(handle, which, &text, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, decltype(&curl_free)> owner(text, curl_free);
  return text;
}

void set(CURLU* handle, std::string_view text) {
  const std::string terminated(text);
  const bool whole = terminated.find('\0') == std::string_view::npos;
  const CURLUcode code =
      whole ? curl_url_set(handle, CURLUPART_URL, terminated.c_str(), 0) : CURLUE_MALFORMED_INPUT;
  if (code != CURLUE_OK) {
    fail(ErrorKind::failure, "hub: ", quoted_name(text), " is no URL to go to: ", curl_url_strerror(code));
  }
}

Url read(CURLU* handle) {
  Url url;
  url.text = part(handle, CURLUPART_URL);
  url.scheme = part(handle, CURLUPART_SCHEME);
  url.host = part(handle, CURLUPART_HOST);
  std::transform(url.host.begin(), url.host.end(), url.host.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (url.host.starts_with('[') && url.host.ends_with(']'))
    url.host = url.host.substr(1, url.host.size() - 2);
  url.port = static_cast<uint16_t>(
      std::strtoul(part(handle, CURLUPART_PORT, CURLU_DEFAULT_PORT).c_str(), nullptr, 10));
  url.has_user = !part(handle, CURLUPART_USER).empty() || !part(handle, CURLUPART_PASSWORD).empty();
  return url;
}

}  // namespace

std::string Url::origin() const {
  const bool ipv6 = host.find(':') != std::string_view::npos;
  return concat(scheme, "://", ipv6 ? "[" : "", host, ipv6 ? "]:" : ":", port);
}

Url parse_url(std::string_view text) {
  const Handle handle = make_handle();
  set(handle.get(), text);
  return read(handle.get());
}

Url resolve_url(const Url& base, std::string_view location) {
  const Handle handle = make_handle();
  set(handle.get(), base.text);
  set(handle.get(), location);
  return read(handle.get());
}

std::string percent_encode(std::string_view text, std::string_view keep) {
  constexpr std::string_view kUnreserved =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    if (kUnreserved.find(c) != std::string_view::npos || keep.find(c) != std::string_view::npos) {
      result += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      result += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return result;
}

}  // namespace linnet::hub
