// One HTTP exchange with libcurl: no redirect is followed and nothing is tried again here (client.h does
// both). The address is checked when the socket is made, after the name was resolved and before a byte is
// sent, so a name that resolves differently the second time gains nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "files/hub/options.h"
#include "files/hub/url.h"

namespace linnet::hub {

enum class Method : uint8_t { head, get };

// Where a socket may lead; not looked at behind a proxy, whose address is the user's choice.
enum class Addresses : uint8_t { any, everywhere, everywhere_or_loopback, loopback };

struct Request {
  Method method = Method::get;
  Url url;
  std::string token;    // for an Authorization header; empty for none
  uint64_t offset = 0;  // first byte wanted
  std::string proxy;
  Addresses addresses = Addresses::everywhere;
  std::chrono::seconds time_limit{0};  // 0 for none
};

struct Head {
  long status = 0;
  std::string etag, linked_etag, commit, location, content_range, content_encoding;
  std::optional<uint64_t> content_length, linked_size;
  std::chrono::seconds retry_after{0};  // 0 if the server does not say
};

struct Outcome {
  Head head;
  std::string problem;     // empty if a whole response arrived
  bool transient = false;  // the problem may pass: a connection that failed, stalled or broke
};

// Gets the bytes of a response with status 200 or 206 as they come. May throw: the exchange then ends and the
// exception comes out of perform().
using BodySink = std::function<void(const Head& head, std::span<const std::byte> bytes)>;

class Transfer {
 public:
  explicit Transfer(const Options& options);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // Throws Error(interrupted), and Error(failure) if the address is not allowed.
  Outcome perform(const Request& request, const BodySink& sink);

 private:
  class Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace linnet::hub
