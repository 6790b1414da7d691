// What the hub client is configured with. Nothing else in this folder looks at the environment.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace linnet::hub {

struct Proxies {
  std::string http;    // URL of the proxy for http://, empty for none
  std::string https;   // … for https://
  std::string bypass;  // hosts that are reached directly: "localhost, .corp.example, 10.0.0.0/8" or "*"
};

struct Options {
  std::filesystem::path cache;
  std::string endpoint = "https://huggingface.co";  // https, or http on loopback
  std::string token;                                // sent to the endpoint only; empty for none
  bool offline = false;
  bool allow_private_addresses = false;  // also after a redirect
  Proxies proxies;
  std::filesystem::path ca_bundle;     // empty for the system's
  std::vector<std::string> addresses;  // fixed addresses of names, "host:port:address" as curl's --resolve

  // Set from a signal handler or another thread; may be null.
  const std::atomic<bool>* interrupt = nullptr;

  // A transfer that keeps failing without progress is tried 1 + retries times. The waits double from first to
  // longest with jitter; a server's Retry-After up to `longest_retry_after` comes first (the hub counts its
  // rate limits in windows of five minutes), a longer one is an error.
  uint32_t retries = 5;
  std::chrono::milliseconds first_wait{500};
  std::chrono::milliseconds longest_wait{20'000};
  std::chrono::seconds longest_retry_after{300};
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::seconds stall_timeout{30};  // for the next KiB
};

// Null for a variable that is not set.
using Environment = std::function<const char*(const char* name)>;

// From HF_HUB_CACHE, HF_HOME, XDG_CACHE_HOME, HF_ENDPOINT, HF_TOKEN (or the file HF_TOKEN_PATH or
// $HF_HOME/token), HF_HUB_OFFLINE, http_proxy, https_proxy, all_proxy, no_proxy (those three also in
// capitals) and SSL_CERT_FILE. Throws Error(usage) for a value that cannot be.
[[nodiscard]] Options options_from_environment(const Environment& environment);
[[nodiscard]] Options options_from_environment();  // of this process

// Throws Error(interrupted) if options.interrupt says so.
void check_interrupt(const Options& options);
// Sleeps in short naps so that an interrupt is seen.
void sleep_unless_interrupted(const Options& options, std::chrono::milliseconds duration);

}  // namespace linnet::hub
