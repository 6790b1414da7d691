#include "files/hub/download.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/quoted.h"
#include "files/hub/file_lock.h"
#include "files/hub/names.h"
#include "files/hub/partial_file.h"

namespace linnet::hub {
namespace {

std::string file_path(const PullContext& context, const std::string& name) {
  return concat("/", context.repo, "/resolve/", context.commit, "/", percent_encode(name, "/"));
}

// "bytes 100-199/200": first byte and size of the whole; size is 0 for "*".
struct ContentRange {
  uint64_t first = 0;
  uint64_t size = 0;
};

std::optional<ContentRange> parse_content_range(std::string_view text) {
  constexpr std::string_view kUnit = "bytes ";
  const auto slash = text.find('/');
  if (!text.starts_with(kUnit) || slash == std::string_view::npos) return std::nullopt;
  ContentRange range;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data() + kUnit.size(), end, range.first);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '-') return std::nullopt;
  if (text.substr(slash + 1) == "*") return range;
  const auto size = std::from_chars(text.data() + slash + 1, end, range.size);
  if (size.ec != std::errc{} || size.ptr != end) return std::nullopt;
  return range;
}

class FileReceiver : public Receiver {
 public:
  FileReceiver(PartialFile& file, const FileIdentity& identity, ProgressReporter& reporter)
      : file_(file), identity_(identity), reporter_(reporter) {}

  [[nodiscard]] uint64_t received() const override { return file_.size(); }
  [[nodiscard]] bool complete() const override { return file_.complete(); }
  [[nodiscard]] uint64_t downloaded() const { return downloaded_; }
  void restart() override { file_.restart(); }

  void begin(const Head& head) override {
    uint64_t stated = head.content_length.value_or(identity_.size);
    if (head.status == 206) {
      const auto range = parse_content_range(head.content_range);
      if (!range || range->first != file_.size()) {
        fail(ErrorKind::failure, "hub: asked for what follows byte ", file_.size(), ", the server sends ",
             quoted_name(head.content_range));
      }
      stated = range->size != 0 ? range->size : identity_.size;
    }
    if (stated != identity_.size) {
      fail(ErrorKind::failure, "hub: the server sends a file of ", stated, " bytes where it stated ",
           identity_.size);
    }
    if (head.status == 200) restart();
  }

  void append(std::span<const std::byte> bytes) override {
    file_.append(bytes);
    downloaded_ += bytes.size();
    reporter_.update(Stage::downloading, file_.size());
  }

 private:
  PartialFile& file_;
  const FileIdentity& identity_;
  ProgressReporter& reporter_;
  uint64_t downloaded_ = 0;
};

void check_space(const std::filesystem::path& partial, uint64_t size) {
  std::error_code error;
  const auto there = std::filesystem::file_size(partial, error);
  const uint64_t needed = size - (error ? 0 : std::min<uint64_t>(there, size));
  const auto folder = partial.parent_path();
  const auto space = std::filesystem::space(folder, error);
  if (!error && space.available < needed) {
    fail(ErrorKind::failure, "hub: no space left: ", needed, " bytes are needed in '", folder.string(), "', ",
         space.available, " are free");
  }
}

}  // namespace

FileIdentity identify(const PullContext& context, const RemoteFile& file) {
  const std::string subject = concat(context.repo, ": ", file.name);
  const Head head = context.client.head(file_path(context, file.name), subject);
  if (!head.commit.empty() && head.commit != context.commit) {
    fail(ErrorKind::failure, "hub: ", subject, ": asked for commit ", context.commit,
         ", the server answers for ", quoted_name(head.commit));
  }
  FileIdentity identity;
  identity.etag = normalize_etag(head.linked_etag.empty() ? head.etag : head.linked_etag);
  // The length of a redirect's own body says nothing; that of a file itself does.
  auto size = head.linked_size;
  if (!size && head.status == 200 && head.content_encoding.empty()) size = head.content_length;
  if (!size) size = file.size;
  if (!size) fail(ErrorKind::failure, "hub: ", subject, ": the server states no size");
  identity.size = *size;

  if (file.size && *file.size != identity.size) {
    fail(ErrorKind::failure, "hub: ", subject, ": the server states a size of ", identity.size,
         " bytes, its listing ", *file.size);
  }
  if (!file.sha256.empty() && file.sha256 != identity.etag) {
    fail(ErrorKind::failure, "hub: ", subject, ": the server's ETag is ", identity.etag,
         ", its listing says ", quoted_name(file.sha256));
  }
  return identity;
}

uint64_t bring(const PullContext& context, const std::string& name, const FileIdentity& identity) {
  const RepoCache& cache = context.cache;
  if (cache.has_file(context.commit, name)) return 0;
  const auto lock = FileLock::acquire(cache.lock(identity.etag), LockKind::exclusive, context.options,
                                      [&] { context.reporter.update(Stage::waiting, 0); });
  if (cache.has_file(context.commit, name)) return 0;

  const HashProgress hashing = [&](uint64_t bytes) {
    check_interrupt(context.options);
    context.reporter.update(Stage::checking, bytes);
  };
  const auto blob = cache.blob(identity.etag);
  uint64_t downloaded = 0;
  if (!has_identity(blob, identity, hashing)) {
    check_space(cache.partial(identity.etag), identity.size);
    PartialFile file(cache.partial(identity.etag), identity, hashing);
    if (!file.complete()) {
      FileReceiver receiver(file, identity, context.reporter);
      context.client.download(file_path(context, name), concat(context.repo, ": ", name), receiver);
      downloaded = receiver.downloaded();
    }
    file.finish(blob);
  }
  cache.link(context.commit, name, identity.etag);
  return downloaded;
}

}  // namespace linnet::hub
