#include "files/hub/client.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/quoted.h"
#include "files/hub/addresses.h"
#include "files/hub/names.h"
#include "files/hub/proxy.h"

namespace linnet::hub {
namespace {

constexpr int kMostRedirects = 5;
// An attempt that brought this much counts as progress, after which the attempts are counted anew; a server
// that hands out a file a few bytes at a time does not.
constexpr uint64_t kProgressBytes = 1 << 20;
constexpr std::chrono::seconds kMetadataTimeLimit{120};

bool is_redirect(long status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool is_transient_status(long status) {
  return status == 408 || status == 429 || status >= 500;
}

[[noreturn]] void fail_status(long status, std::string_view subject, bool with_token) {
  if (status == 401 || (status == 403 && !with_token)) {
    fail(ErrorKind::model, "hub: ", subject, " does not exist, or it is private and ",
         with_token ? "the token gives no access to it" : "needs a token (HF_TOKEN)", " (status ", status,
         ")");
  }
  if (status == 403) {
    fail(ErrorKind::model, "hub: ", subject, ": access has to be granted to this token first (status 403)");
  }
  if (status == 404) fail(ErrorKind::model, "hub: ", subject, " does not exist (status 404)");
  fail(ErrorKind::failure, "hub: ", subject, ": the server answers with status ", status);
}

class TextReceiver : public Receiver {
 public:
  TextReceiver(std::string_view subject, size_t most_bytes) : subject_(subject), most_bytes_(most_bytes) {}
  [[nodiscard]] uint64_t received() const override { return 0; }
  [[nodiscard]] bool complete() const override { return true; }
  void restart() override { text_.clear(); }
  void begin(const Head&) override { restart(); }
  void append(std::span<const std::byte> bytes) override {
    if (bytes.size() > most_bytes_ - text_.size()) {
      fail(ErrorKind::failure, "hub: ", subject_, ": the server sends more than ", most_bytes_, " bytes");
    }
    text_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string_view subject_;
  size_t most_bytes_;
  std::string text_;
};

}  // namespace

Client::Client(const Options& options)
    : options_(options), transfer_(options), random_(std::random_device{}()) {
  std::string text = options.endpoint;
  while (text.ends_with('/')) text.pop_back();
  try {
    endpoint_ = parse_url(text);
  } catch (const Error& error) {
    fail(ErrorKind::usage, "hub: the endpoint (HF_ENDPOINT): ", error.what());
  }
  while (endpoint_.text.ends_with('/')) endpoint_.text.pop_back();
  endpoint_on_loopback_ = is_loopback_host(endpoint_.host);
  const bool plain = endpoint_.scheme == "http" && endpoint_on_loopback_;
  if ((endpoint_.scheme != "https" && !plain) || endpoint_.has_user ||
      endpoint_.text.find_first_of("?#") != std::string::npos) {
    fail(ErrorKind::usage, "hub: the endpoint (HF_ENDPOINT) ", quoted_name(options.endpoint),
         " must be https://host[:port][/path], or http on loopback");
  }
}

std::string Client::get_text(const std::string& path, std::string_view subject, size_t most_bytes) {
  TextReceiver receiver(subject, most_bytes);
  fetch({Method::get, path, subject, kMetadataTimeLimit}, receiver);
  return receiver.take();
}

Head Client::head(const std::string& path, std::string_view subject) {
  TextReceiver none(subject, 0);
  return fetch({Method::head, path, subject, kMetadataTimeLimit}, none);
}

void Client::download(const std::string& path, std::string_view subject, Receiver& receiver) {
  fetch({Method::get, path, subject, std::chrono::seconds{0}}, receiver);
}

Head Client::fetch(const Errand& errand, Receiver& receiver) {
  for (uint32_t failures = 0;;) {
    const uint64_t before = receiver.received();
    Outcome outcome = follow(errand, receiver);
    const long status = outcome.head.status;
    if (outcome.problem.empty()) {
      if (status == 416 && before > 0) {  // what is on disk reaches beyond the server's end
        receiver.restart();
        outcome.problem = "the server has no such range";
      } else if (is_transient_status(status)) {
        outcome.problem = concat("status ", status);
      } else if (!is_redirect(status) && status != 200 && status != 206) {
        fail_status(status, errand.subject, !options_.token.empty());
      } else if (errand.method == Method::head || receiver.complete()) {
        return std::move(outcome.head);
      } else {
        outcome.problem = "the response ended early";
      }
      outcome.transient = true;
    }
    if (receiver.received() >= before + kProgressBytes) failures = 0;
    if (!outcome.transient || failures >= options_.retries) {
      fail(ErrorKind::failure, "hub: ", errand.subject, ": ", outcome.problem,
           failures > 0 ? concat(" (after ", failures + 1, " attempts)") : "");
    }
    wait_before_retry(failures++, outcome, errand.subject);
  }
}

// One attempt, from the endpoint to wherever it redirects.
Outcome Client::follow(const Errand& errand, Receiver& receiver) {
  Request request;
  request.method = errand.method;
  request.url = parse_url(endpoint_.text + errand.path);
  request.offset = receiver.received();
  request.time_limit = errand.time_limit;

  bool began = false;
  const BodySink sink = [&](const Head& head, std::span<const std::byte> bytes) {
    if (!began) {
      if (!head.content_encoding.empty() && head.content_encoding != "identity") {
        fail(ErrorKind::failure, "hub: ", errand.subject, ": the server compresses, unasked, with ",
             quoted_name(head.content_encoding));
      }
      receiver.begin(head);
      began = true;
    }
    receiver.append(bytes);
  };
  for (int redirects = 0; redirects <= kMostRedirects; ++redirects) {
    admit(request, errand.subject);
    Outcome outcome = transfer_.perform(request, sink);
    if (!outcome.problem.empty() || !is_redirect(outcome.head.status)) return outcome;
    if (errand.method == Method::head && !outcome.head.linked_etag.empty()) return outcome;
    if (outcome.head.location.empty()) {
      fail(ErrorKind::failure, "hub: ", errand.subject, ": ", request.url.origin(), " redirects to nowhere");
    }
    request.url = resolve_url(request.url, outcome.head.location);
  }
  fail(ErrorKind::failure, "hub: ", errand.subject, ": more than ", kMostRedirects, " redirects");
}

// Applies the policy to the URL of a request and fills in what follows from it.
void Client::admit(Request& request, std::string_view subject) const {
  const Url& url = request.url;
  const bool at_endpoint = url.same_origin(endpoint_);
  const bool plain = url.scheme == "http" && endpoint_on_loopback_ && is_loopback_host(url.host);
  if ((url.scheme != "https" && !plain) || url.has_user) {
    fail(ErrorKind::failure, "hub: ", subject, ": redirected to ", url.origin(),
         ", which is not plain https; refused");
  }
  request.token = at_endpoint ? options_.token : "";
  request.proxy = proxy_for(url, options_.proxies);

  if (plain) {
    request.addresses = Addresses::loopback;
  } else if (at_endpoint || options_.allow_private_addresses) {
    request.addresses = Addresses::any;
  } else {
    request.addresses = endpoint_on_loopback_ ? Addresses::everywhere_or_loopback : Addresses::everywhere;
    const bool loopback_too = endpoint_on_loopback_ && is_loopback_host(url.host);
    if (!request.proxy.empty() && is_inside_host(url.host) && !loopback_too) {
      fail(ErrorKind::failure, "hub: ", subject, ": redirected to ", url.origin(),
           ", a name that is not public; refused");
    }
  }
}

void Client::wait_before_retry(uint32_t failures, const Outcome& outcome, std::string_view subject) {
  const auto asked = outcome.head.retry_after;
  if (asked > options_.longest_retry_after) {
    fail(ErrorKind::failure, "hub: ", subject, ": ", outcome.problem, ", and the server asks to wait ",
         asked.count(), " seconds");
  }
  // Between half and all of the doubled wait, so that many clients of one failed server do not come back
  // together.
  const double doubled =
      static_cast<double>(options_.first_wait.count()) * std::exp2(std::min(failures, 30u));
  const double wait = std::min(doubled, static_cast<double>(options_.longest_wait.count())) *
                      std::uniform_real_distribution<double>(0.5, 1.0)(random_);
  const std::chrono::milliseconds chosen(static_cast<int64_t>(wait));
  sleep_unless_interrupted(options_, std::max<std::chrono::milliseconds>(chosen, asked));
}

}  // namespace linnet::hub
