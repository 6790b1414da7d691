// Which network addresses and host names lie inside someone's own network.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace linnet::hub {

// An IPv4 address is kept in its IPv4-mapped IPv6 form.
using Address = std::array<uint8_t, 16>;

enum class Reach : uint8_t {
  everywhere,  // a public address
  loopback,    // this machine
  inside,      // private, link-local, shared, multicast, reserved or unspecified
};

// Nothing for an address family other than IPv4 and IPv6.
[[nodiscard]] std::optional<Address> address_of(const sockaddr& address);
// Nothing if the host is a name. Takes IPv6 without brackets, and with a zone.
[[nodiscard]] std::optional<Address> parse_address(std::string_view host);
[[nodiscard]] std::string to_text(const Address& address);
[[nodiscard]] Reach reach_of(const Address& address);

// "localhost", a name under it, or an address that is loopback.
[[nodiscard]] bool is_loopback_host(std::string_view host);
// A name that means something only inside a network ("printer", "nas.local"), or an address that is not
// public. For use behind a proxy, where the proxy resolves names and their addresses are not seen here.
[[nodiscard]] bool is_inside_host(std::string_view host);

// True iff the first `bits` of both are equal.
[[nodiscard]] bool same_network(const Address& a, const Address& b, unsigned bits);

}  // namespace linnet::hub
