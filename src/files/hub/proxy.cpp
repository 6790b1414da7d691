#include "files/hub/proxy.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>

#include "files/hub/addresses.h"

namespace linnet::hub {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return result;
}

// "10.0.0.0/8" or "::1"; an entry that is no address matches no address.
bool covers_address(std::string_view entry, const Address& address) {
  const auto slash = entry.find('/');
  const auto network = parse_address(entry.substr(0, slash));
  if (!network) return false;
  if (slash == std::string_view::npos) return *network == address;
  const auto digits = entry.substr(slash + 1);
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (error != std::errc{} || end != digits.data() + digits.size()) return false;
  const bool ipv4 = entry.find(':') == std::string_view::npos;
  if (bits > (ipv4 ? 32u : 128u)) return false;
  return same_network(*network, address, ipv4 ? bits + 96 : bits);
}

// "example.org" and ".example.org" both cover the domain and every name under it, as in curl.
bool covers_name(std::string_view entry, std::string_view host) {
  if (entry.starts_with('.')) entry.remove_prefix(1);
  if (entry.empty() || !host.ends_with(entry)) return false;
  return host.size() == entry.size() || host[host.size() - entry.size() - 1] == '.';
}

bool is_bypassed(std::string_view host, std::string_view list) {
  const auto address = parse_address(host);
  constexpr std::string_view kSeparators = ", \t";
  while (!list.empty()) {
    const auto end = list.find_first_of(kSeparators);
    std::string entry = lower(list.substr(0, end));
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
    if (entry == "*") return true;
    if (entry.starts_with('[') && entry.ends_with(']')) entry = entry.substr(1, entry.size() - 2);
    if (address ? covers_address(entry, *address) : covers_name(entry, host)) return true;
  }
  return false;
}

}  // namespace

std::string proxy_for(const Url& url, const Proxies& proxies) {
  const std::string& proxy = url.scheme == "https" ? proxies.https : proxies.http;
  if (proxy.empty() || is_bypassed(url.host, proxies.bypass)) return {};
  return proxy;
}

}  // namespace linnet::hub
