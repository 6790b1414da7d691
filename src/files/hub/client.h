// HTTP as the hub needs it: redirects followed under a policy, transient failures tried again with growing
// waits. The policy: https only, http just where the endpoint itself is on loopback; the token goes to the
// endpoint's origin and nowhere else; another origin must have a public address (behind a proxy: a public
// name) unless the options allow private ones. A loopback endpoint may redirect to loopback.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>

#include "files/hub/options.h"
#include "files/hub/transfer.h"
#include "files/hub/url.h"

namespace linnet::hub {

// Where the body of a response goes, possibly over several attempts that continue one another.
class Receiver {
 public:
  Receiver() = default;
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;
  virtual ~Receiver() = default;

  [[nodiscard]] virtual uint64_t received() const = 0;  // the next attempt asks for what follows
  [[nodiscard]] virtual bool complete() const = 0;      // asked when a response has ended
  virtual void restart() = 0;                           // forget what was received
  // Before the first bytes of a response. With status 206 they should continue what was received; with 200
  // they are the first of all.
  virtual void begin(const Head& head) = 0;
  virtual void append(std::span<const std::byte> bytes) = 0;
};

class Client {
 public:
  // Throws Error(usage) for an endpoint that is not allowed.
  explicit Client(const Options& options);

  // `path` is below the endpoint and begins with '/'; `subject` is what a message calls it. All throw
  // Error(model) for what does not exist or is not given to us, Error(failure) when the network or the server
  // does not do its part.
  [[nodiscard]] std::string get_text(const std::string& path, std::string_view subject, size_t most_bytes);
  // Stops at a redirect that says what it links to.
  [[nodiscard]] Head head(const std::string& path, std::string_view subject);
  void download(const std::string& path, std::string_view subject, Receiver& receiver);

 private:
  struct Errand {
    Method method;
    const std::string& path;
    std::string_view subject;
    std::chrono::seconds time_limit;
  };
  Head fetch(const Errand& errand, Receiver& receiver);
  Outcome follow(const Errand& errand, Receiver& receiver);
  void admit(Request& request, std::string_view subject) const;
  void wait_before_retry(uint32_t failures, const Outcome& outcome, std::string_view subject);

  const Options& options_;
  Url endpoint_;
  bool endpoint_on_loopback_;
  Transfer transfer_;
  std::minstd_rand random_;
};

}  // namespace linnet::hub
