#include "files/hub/cache.h"

#include <fstream>
#include <random>

#include "base/error.h"
#include "files/hub/names.h"

namespace linnet::hub {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kPrefix = "models--";
constexpr std::string_view kSeparator = "--";

// The commit in a reference's file, or nothing if that is not what is in it.
std::optional<std::string> read_commit(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(64, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (!is_hex(text)) return std::nullopt;
  return text;
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail(ErrorKind::failure, "hub: cannot make the folder '", path.string(), "': ", error.message());
}

}  // namespace

std::string folder_name(std::string_view repo) {
  const auto slash = repo.find('/');
  return concat(kPrefix, repo.substr(0, slash), kSeparator, repo.substr(slash + 1));
}

std::optional<std::string> repo_of_folder(std::string_view folder) {
  if (!folder.starts_with(kPrefix)) return std::nullopt;
  folder.remove_prefix(kPrefix.size());
  const auto separator = folder.find(kSeparator);
  if (separator == std::string_view::npos) return std::nullopt;
  std::string repo = concat(folder.substr(0, separator), "/", folder.substr(separator + kSeparator.size()));
  if (!is_model_name(repo)) return std::nullopt;
  return repo;
}

RepoCache::RepoCache(const fs::path& cache, std::string_view repo)
    : folder_(cache / folder_name(repo)), locks_(cache / ".locks" / folder_name(repo)) {}

void RepoCache::make_folders() const {
  for (const char* name : {"blobs", "refs", "snapshots"}) make_folder(folder_ / name);
  make_folder(locks_);
}

bool RepoCache::has_file(const std::string& commit, const std::string& name) const {
  std::error_code ignored;
  return fs::is_regular_file(snapshot(commit) / name, ignored);
}

void RepoCache::link(const std::string& commit, const std::string& name, const std::string& etag) const {
  const fs::path entry = snapshot(commit) / name;
  make_folder(entry.parent_path());
  fs::path target = "../..";
  for (const char c : name) {
    if (c == '/') target /= "..";
  }
  target = target / "blobs" / etag;
  std::error_code error;
  fs::create_symlink(target, entry, error);
  if (error == std::errc::file_exists) {  // a link to a blob that is gone: has_file() said no
    fs::remove(entry, error);
    fs::create_symlink(target, entry, error);
  }
  if (error) fail(ErrorKind::failure, "hub: cannot link '", entry.string(), "': ", error.message());
}

std::optional<std::string> RepoCache::commit_of(const std::string& revision) const {
  if (is_hex(revision)) return revision;
  return read_commit(folder_ / "refs" / revision);
}

void RepoCache::write_reference(const std::string& revision, const std::string& commit) const {
  if (revision == commit) return;
  const fs::path path = folder_ / "refs" / revision;
  if (read_commit(path) == commit) return;
  make_folder(path.parent_path());
  // Made complete under a name of its own: a reader never sees half of it.
  const fs::path temporary = folder_ / concat("reference-", std::random_device{}(), ".tmp");
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file << commit;
  file.close();
  std::error_code error;
  if (file) fs::rename(temporary, path, error);
  if (!file || error) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    fail(ErrorKind::failure, "hub: cannot write '", path.string(), "'", error ? ": " + error.message() : "");
  }
}

std::map<std::string, std::string> RepoCache::references() const {
  std::map<std::string, std::string> found;
  const fs::path refs = folder_ / "refs";
  std::error_code error;
  for (fs::recursive_directory_iterator at(refs, error), end; !error && at != end; at.increment(error)) {
    if (!at->is_regular_file(error)) continue;
    if (const auto commit = read_commit(at->path()))
      found.emplace(at->path().lexically_relative(refs), *commit);
  }
  return found;
}

std::map<std::string, uint64_t> RepoCache::files(const std::string& commit) const {
  std::map<std::string, uint64_t> found;
  const fs::path folder = snapshot(commit);
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;  // a link whose blob is not there
    if (!fs::is_regular_file(at->path(), gone)) continue;
    const auto size = fs::file_size(at->path(), gone);
    if (!gone) found.emplace(at->path().lexically_relative(folder).string(), size);
  }
  return found;
}

}  // namespace linnet::hub
