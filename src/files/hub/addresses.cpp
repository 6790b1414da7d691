#include "files/hub/addresses.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

namespace linnet::hub {
namespace {

constexpr Address kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0};
constexpr unsigned kMappedBits = 96;

struct Network {
  std::array<uint8_t, 4> address;
  unsigned bits;
};
// IANA's special-purpose registry, those that a server on the internet cannot have.
constexpr Network kInside4[] = {
    {{0, 0, 0, 0}, 8},     {{10, 0, 0, 0}, 8},   {{100, 64, 0, 0}, 10},  {{169, 254, 0, 0}, 16},
    {{172, 16, 0, 0}, 12}, {{192, 0, 0, 0}, 24}, {{192, 168, 0, 0}, 16}, {{198, 18, 0, 0}, 15},
    {{224, 0, 0, 0}, 4},   {{240, 0, 0, 0}, 4},
};

Address mapped(std::array<uint8_t, 4> bytes) {
  Address address = kMappedPrefix;
  std::copy(bytes.begin(), bytes.end(), address.begin() + 12);
  return address;
}

bool begins_with(const Address& address, std::initializer_list<uint8_t> prefix) {
  return std::equal(prefix.begin(), prefix.end(), address.begin());
}

Reach reach_of_ipv4(const Address& address) {
  if (address[12] == 127) return Reach::loopback;
  const bool inside = std::any_of(std::begin(kInside4), std::end(kInside4), [&](const Network& network) {
    return same_network(address, mapped(network.address), kMappedBits + network.bits);
  });
  return inside ? Reach::inside : Reach::everywhere;
}

// The IPv4 address that a transition mechanism carries at `offset`.
Address embedded(const Address& address, size_t offset) {
  return mapped({address[offset], address[offset + 1], address[offset + 2], address[offset + 3]});
}

Reach reach_of_ipv6(const Address& address) {
  constexpr Address kLoopback = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  if (address == kLoopback) return Reach::loopback;
  if (begins_with(address, {0x00, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0})) {  // NAT64, RFC 6052
    return reach_of_ipv4(embedded(address, 12));
  }
  if (begins_with(address, {0x20, 0x02})) return reach_of_ipv4(embedded(address, 2));  // 6to4, RFC 3056
  // Public unicast is 2000::/3; the rest is link-local (fe80::/10), unique local (fc00::/7), multicast or
  // reserved. In it 2001::/23 is for protocols (Teredo tunnels to an IPv4 address of the sender's choice).
  if ((address[0] & 0xE0) != 0x20) return Reach::inside;
  if (begins_with(address, {0x20, 0x01}) && address[2] < 2) return Reach::inside;
  return Reach::everywhere;
}

bool is_under(std::string_view host, std::string_view domain) {
  return host.size() > domain.size() && host.ends_with(domain) &&
         host[host.size() - domain.size() - 1] == '.';
}

std::string normalized(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  std::string result(host);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return result;
}

}  // namespace

std::optional<Address> address_of(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in ipv4;
    std::memcpy(&ipv4, &address, sizeof ipv4);
    std::array<uint8_t, 4> bytes;
    std::memcpy(bytes.data(), &ipv4.sin_addr, bytes.size());
    return mapped(bytes);
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 ipv6;
    std::memcpy(&ipv6, &address, sizeof ipv6);
    Address bytes;
    std::memcpy(bytes.data(), &ipv6.sin6_addr, bytes.size());
    return bytes;
  }
  return std::nullopt;
}

std::optional<Address> parse_address(std::string_view host) {
  const std::string text(host.substr(0, host.find('%')));
  std::array<uint8_t, 4> ipv4;
  if (::inet_pton(AF_INET, text.c_str(), ipv4.data()) == 1) return mapped(ipv4);
  Address ipv6;
  if (::inet_pton(AF_INET6, text.c_str(), ipv6.data()) == 1) return ipv6;
  return std::nullopt;
}

std::string to_text(const Address& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (same_network(address, kMappedPrefix, kMappedBits)) {
    ::inet_ntop(AF_INET, address.data() + 12, text.data(), text.size());
  } else {
    ::inet_ntop(AF_INET6, address.data(), text.data(), text.size());
  }
  return text.data();
}

Reach reach_of(const Address& address) {
  return same_network(address, kMappedPrefix, kMappedBits) ? reach_of_ipv4(address) : reach_of_ipv6(address);
}

bool is_loopback_host(std::string_view host) {
  if (const auto address = parse_address(host)) return reach_of(*address) == Reach::loopback;
  const std::string name = normalized(host);
  return name == "localhost" || is_under(name, "localhost");
}

bool is_inside_host(std::string_view host) {
  if (const auto address = parse_address(host)) return reach_of(*address) != Reach::everywhere;
  const std::string name = normalized(host);
  if (name.find('.') == std::string_view::npos) return true;
  // RFC 6761, RFC 6762, RFC 8375, ICANN's resolution on .internal, and what routers call their networks. A
  // name of digits in its last part is an address in a form that some resolvers take.
  constexpr std::string_view kDomains[] = {"localhost", "local", "home.arpa", "internal", "intranet", "lan"};
  const bool local = std::any_of(std::begin(kDomains), std::end(kDomains),
                                 [&](auto domain) { return is_under(name, domain); });
  const char last = name[name.rfind('.') + 1];
  return local || (last >= '0' && last <= '9');
}

bool same_network(const Address& a, const Address& b, unsigned bits) {
  for (unsigned i = 0; i < bits && i < 128; i += 8) {
    const unsigned used = std::min(8u, bits - i);
    const auto mask = static_cast<uint8_t>(0xFF00u >> used);
    if ((a[i / 8] & mask) != (b[i / 8] & mask)) return false;
  }
  return true;
}

}  // namespace linnet::hub
