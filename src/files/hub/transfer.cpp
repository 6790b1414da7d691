#include "files/hub/transfer.h"

#include <curl/curl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <exception>
#include <string_view>

#include "base/error.h"
#include "files/hub/addresses.h"

namespace linnet::hub {
namespace {

constexpr size_t kMostHeaderBytes = 64 << 10;
// Fewer than this within the time limit for stalls is one: a server that drips bytes would hold us for days.
constexpr curl_off_t kSlowestBytes = 1 << 10;
constexpr size_t kMostErrorBodyBytes =
    64 << 10;  // read so that the connection can be used again, beyond it dropped

bool allows(Addresses allowed, Reach reach) {
  switch (allowed) {
    case Addresses::any:
      return true;
    case Addresses::everywhere:
      return reach == Reach::everywhere;
    case Addresses::everywhere_or_loopback:
      return reach != Reach::inside;
    case Addresses::loopback:
      return reach == Reach::loopback;
  }
  return false;
}

bool is_transient(CURLcode code) {
  constexpr CURLcode kCodes[] = {CURLE_COULDNT_RESOLVE_PROXY,
                                 CURLE_COULDNT_RESOLVE_HOST,
                                 CURLE_COULDNT_CONNECT,
                                 CURLE_PARTIAL_FILE,
                                 CURLE_OPERATION_TIMEDOUT,
                                 CURLE_GOT_NOTHING,
                                 CURLE_SEND_ERROR,
                                 CURLE_RECV_ERROR,
                                 CURLE_HTTP2,
                                 CURLE_HTTP2_STREAM,
                                 CURLE_SSL_CONNECT_ERROR};
  return std::find(std::begin(kCodes), std::end(kCodes), code) != std::end(kCodes);
}

std::optional<uint64_t> parse_number(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Keeps the headers that this client looks at.
void note_header(Head& head, std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return;
  std::string name(line.substr(0, colon));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  std::string_view value = line.substr(colon + 1);
  const auto begin = value.find_first_not_of(" \t\r\n");
  value = begin == std::string_view::npos
              ? ""
              : value.substr(begin, value.find_last_not_of(" \t\r\n") + 1 - begin);

  if (name == "etag")
    head.etag = value;
  else if (name == "x-linked-etag")
    head.linked_etag = value;
  else if (name == "x-repo-commit")
    head.commit = value;
  else if (name == "location")
    head.location = value;
  else if (name == "content-range")
    head.content_range = value;
  else if (name == "content-encoding")
    head.content_encoding = value;
  else if (name == "content-length")
    head.content_length = parse_number(value);
  else if (name == "x-linked-size")
    head.linked_size = parse_number(value);
}

class HeaderList {
 public:
  ~HeaderList() { curl_slist_free_all(list_); }
  HeaderList() = default;
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;
  void add(const std::string& line) {
    curl_slist* longer = curl_slist_append(list_, line.c_str());
    if (longer == nullptr) fail(ErrorKind::failure, "hub: out of memory");
    list_ = longer;
  }
  [[nodiscard]] curl_slist* get() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

}  // namespace

class Transfer::Handle {
 public:
  explicit Handle(const Options& options) : options_(options) {
    static const CURLcode initialized = curl_global_init(CURL_GLOBAL_DEFAULT);
    curl_ = initialized == CURLE_OK ? curl_easy_init() : nullptr;
    if (curl_ == nullptr) fail(ErrorKind::failure, "hub: libcurl does not start");
    for (const auto& address : options.addresses) resolved_.add(address);
  }
  ~Handle() { curl_easy_cleanup(curl_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  Outcome perform(const Request& request, const BodySink& sink) {
    request_ = &request;
    sink_ = &sink;
    outcome_ = {};
    header_bytes_ = discarded_ = 0;
    body_began_ = false;
    refused_.clear();
    error_ = nullptr;
    moved_bytes_ = 0;
    moved_at_ = std::chrono::steady_clock::now();
    stalled_ = false;

    HeaderList headers;
    headers.add("Accept-Encoding: identity");
    if (!request.token.empty()) headers.add("Authorization: Bearer " + request.token);
    configure(headers);
    const CURLcode code = curl_easy_perform(curl_);
    if (error_) std::rethrow_exception(error_);
    judge(code);
    return std::move(outcome_);
  }

 private:
  template <class Value>
  void set(CURLoption option, Value value) {
    if (curl_easy_setopt(curl_, option, value) != CURLE_OK) {
      fail(ErrorKind::failure, "hub: libcurl does not take option ", static_cast<int>(option));
    }
  }

  // Signals: libcurl ignores SIGPIPE while it runs; with its threaded resolver it uses no alarm.
  void configure(const HeaderList& headers) {
    curl_easy_reset(curl_);  // keeps connections
    error_text_.fill('\0');
    set(CURLOPT_ERRORBUFFER, error_text_.data());
    set(CURLOPT_URL, request_->url.text.c_str());
    set(CURLOPT_PROTOCOLS_STR, request_->url.scheme.c_str());
    set(CURLOPT_USERAGENT, "linnet");
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_PROXY, request_->proxy.c_str());  // empty: also not one from the environment
    set(CURLOPT_NOPROXY, "");
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    if (!options_.ca_bundle.empty()) set(CURLOPT_CAINFO, options_.ca_bundle.c_str());
    if (resolved_.get() != nullptr) set(CURLOPT_RESOLVE, resolved_.get());
    if (request_->method == Method::head) set(CURLOPT_NOBODY, 1L);
    if (request_->offset > 0) {
      range_ = std::to_string(request_->offset) + "-";
      set(CURLOPT_RANGE, range_.c_str());
    }
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options_.connect_timeout.count()));
    set(CURLOPT_TIMEOUT, static_cast<long>(request_->time_limit.count()));

    set(CURLOPT_OPENSOCKETFUNCTION, &Handle::open_socket);
    set(CURLOPT_OPENSOCKETDATA, this);
    set(CURLOPT_HEADERFUNCTION, &Handle::take_header);
    set(CURLOPT_HEADERDATA, this);
    set(CURLOPT_WRITEFUNCTION, &Handle::take_body);
    set(CURLOPT_WRITEDATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
    set(CURLOPT_XFERINFOFUNCTION, &Handle::watch);
    set(CURLOPT_XFERINFODATA, this);
  }

  void judge(CURLcode code) {
    note_status();
    curl_off_t seconds = 0;
    curl_easy_getinfo(curl_, CURLINFO_RETRY_AFTER, &seconds);
    outcome_.head.retry_after = std::chrono::seconds(std::max<curl_off_t>(0, seconds));
    if (code == CURLE_ABORTED_BY_CALLBACK) {
      check_interrupt(options_);
      outcome_.problem = "the connection stalled";
      outcome_.transient = stalled_;
      return;
    }
    if (!refused_.empty() && code != CURLE_OK) {
      fail(ErrorKind::failure, "hub: ", request_->url.origin(), " leads to ", refused_,
           ", an address that is not public; refused");
    }
    const bool dropped_error_body = code == CURLE_WRITE_ERROR && discarded_ > kMostErrorBodyBytes;
    if (code == CURLE_OK || dropped_error_body) return;
    outcome_.problem = error_text_[0] != '\0' ? error_text_.data() : curl_easy_strerror(code);
    outcome_.transient = is_transient(code);
  }

  void note_status() { curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &outcome_.head.status); }

  // Runs a callback's work; an exception must not pass through libcurl's C code.
  template <class Work>
  [[nodiscard]] bool guarded(Work&& work) noexcept {
    try {
      work();
      return true;
    } catch (...) {
      error_ = std::current_exception();
      return false;
    }
  }

  static curl_socket_t open_socket(void* self, curlsocktype, curl_sockaddr* address) {
    auto& handle = *static_cast<Handle*>(self);
    bool allowed = handle.request_->addresses == Addresses::any || !handle.request_->proxy.empty();
    if (!allowed) {
      const auto numeric = address_of(address->addr);
      allowed = numeric && allows(handle.request_->addresses, reach_of(*numeric));
      if (!allowed) handle.refused_ = numeric ? to_text(*numeric) : "an unknown kind of address";
    }
    if (!allowed) return CURL_SOCKET_BAD;
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  }

  static size_t take_header(char* data, size_t, size_t size, void* self) {
    auto& handle = *static_cast<Handle*>(self);
    const bool fine = handle.guarded([&] {
      handle.header_bytes_ += size;
      if (handle.header_bytes_ > kMostHeaderBytes) {
        fail(ErrorKind::failure, "hub: ", handle.request_->url.origin(), " sends more than ",
             kMostHeaderBytes, " bytes of headers");
      }
      if (handle.body_began_) return;  // a trailer
      const std::string_view line(data, size);
      if (line.starts_with("HTTP/")) handle.outcome_.head = {};
      note_header(handle.outcome_.head, line);
    });
    return fine ? size : 0;
  }

  static size_t take_body(char* data, size_t, size_t size, void* self) {
    auto& handle = *static_cast<Handle*>(self);
    handle.body_began_ = true;
    handle.note_status();
    const Head& head = handle.outcome_.head;
    if (head.status != 200 && head.status != 206) {
      handle.discarded_ += size;
      return handle.discarded_ > kMostErrorBodyBytes ? 0 : size;
    }
    const auto bytes = std::as_bytes(std::span(data, size));
    return handle.guarded([&] { (*handle.sink_)(head, bytes); }) ? size : 0;
  }

  // Called about once a second at least; anything but 0 ends the exchange.
  static int watch(void* self, curl_off_t, curl_off_t received, curl_off_t, curl_off_t) {
    auto& handle = *static_cast<Handle*>(self);
    const auto now = std::chrono::steady_clock::now();
    if (received >= handle.moved_bytes_ + kSlowestBytes) {
      handle.moved_bytes_ = received;
      handle.moved_at_ = now;
    }
    handle.stalled_ = now - handle.moved_at_ > handle.options_.stall_timeout;
    const auto* interrupt = handle.options_.interrupt;
    return handle.stalled_ || (interrupt != nullptr && interrupt->load()) ? 1 : 0;
  }

  const Options& options_;
  CURL* curl_ = nullptr;
  HeaderList resolved_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};

  // Of the exchange under way.
  const Request* request_ = nullptr;
  const BodySink* sink_ = nullptr;
  Outcome outcome_;
  std::string range_;
  std::string refused_;  // address
  size_t header_bytes_ = 0;
  size_t discarded_ = 0;
  bool body_began_ = false;
  std::exception_ptr error_;
  curl_off_t moved_bytes_ = 0;  // received when it last was kSlowestBytes more
  std::chrono::steady_clock::time_point moved_at_;
  bool stalled_ = false;
};

Transfer::Transfer(const Options& options) : handle_(std::make_unique<Handle>(options)) {}
Transfer::~Transfer() = default;

Outcome Transfer::perform(const Request& request, const BodySink& sink) {
  return handle_->perform(request, sink);
}

}  // namespace linnet::hub
