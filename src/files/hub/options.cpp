#include "files/hub/options.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <thread>

#include "base/error.h"

namespace linnet::hub {
namespace {

constexpr size_t kLongestToken = 4096;
constexpr std::chrono::milliseconds kNap{50};

class Variables {
 public:
  explicit Variables(const Environment& environment) : environment_(environment) {}

  // The first of the names that is set to something.
  [[nodiscard]] std::string first_of(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      const char* value = environment_(name);
      if (value != nullptr && *value != '\0') return value;
    }
    return {};
  }
  [[nodiscard]] bool is_true(const char* name) const {
    std::string value = first_of({name});
    std::transform(value.begin(), value.end(), value.begin(),
                   [](unsigned char c) { return std::toupper(c); });
    return value == "1" || value == "TRUE" || value == "YES" || value == "ON";
  }
  // A path with a leading "~/" replaced.
  [[nodiscard]] std::filesystem::path path(std::initializer_list<const char*> names) const {
    const std::string value = first_of(names);
    if (value == "~" || value.starts_with("~/"))
      return home() / value.substr(std::min<size_t>(2, value.size()));
    return value;
  }
  [[nodiscard]] std::filesystem::path home() const { return first_of({"HOME"}); }

 private:
  const Environment& environment_;
};

std::filesystem::path hugging_face_home(const Variables& variables) {
  if (const auto home = variables.path({"HF_HOME"}); !home.empty()) return home;
  if (const auto caches = variables.path({"XDG_CACHE_HOME"}); !caches.empty()) return caches / "huggingface";
  if (const auto home = variables.home(); !home.empty()) return home / ".cache/huggingface";
  fail(ErrorKind::usage, "hub: no cache folder: set HF_HUB_CACHE, HF_HOME or HOME");
}

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin));
}

std::string read_token(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kLongestToken + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return trimmed(text);
}

// A token becomes part of a header line: nothing may end that line.
void check_token(const std::string& token) {
  const bool printable =
      std::all_of(token.begin(), token.end(), [](unsigned char c) { return c > 0x20 && c < 0x7F; });
  if (!printable || token.size() > kLongestToken) {
    fail(ErrorKind::usage,
         "hub: the token (HF_TOKEN or the token file) is not one line of printable characters");
  }
}

}  // namespace

Options options_from_environment(const Environment& environment) {
  const Variables variables(environment);
  Options options;
  options.cache = variables.path({"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"});
  if (options.cache.empty()) options.cache = hugging_face_home(variables) / "hub";

  if (std::string endpoint = variables.first_of({"HF_ENDPOINT"}); !endpoint.empty())
    options.endpoint = endpoint;
  options.offline = variables.is_true("HF_HUB_OFFLINE");

  options.token = trimmed(variables.first_of({"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"}));
  if (options.token.empty()) {
    auto file = variables.path({"HF_TOKEN_PATH"});
    if (file.empty() &&
        !(variables.home().empty() && variables.first_of({"HF_HOME", "XDG_CACHE_HOME"}).empty())) {
      file = hugging_face_home(variables) / "token";
    }
    if (!file.empty()) options.token = read_token(file);
  }
  check_token(options.token);

  // HTTP_PROXY in capitals is left out as curl does: a CGI server sets it from a request's "Proxy:" header.
  options.proxies.http = variables.first_of({"http_proxy", "all_proxy", "ALL_PROXY"});
  options.proxies.https = variables.first_of({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"});
  options.proxies.bypass = variables.first_of({"no_proxy", "NO_PROXY"});
  options.ca_bundle = variables.path({"SSL_CERT_FILE"});
  return options;
}

Options options_from_environment() {
  return options_from_environment([](const char* name) { return std::getenv(name); });
}

void check_interrupt(const Options& options) {
  if (options.interrupt != nullptr && options.interrupt->load()) {
    fail(ErrorKind::interrupted, "hub: interrupted");
  }
}

void sleep_unless_interrupted(const Options& options, std::chrono::milliseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  for (;;) {
    check_interrupt(options);
    const auto left = end - std::chrono::steady_clock::now();
    if (left <= decltype(left)::zero()) return;
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(left, kNap));
  }
}

}  // namespace linnet::hub
