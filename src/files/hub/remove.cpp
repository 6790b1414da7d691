#include <algorithm>
#include <vector>

#include "base/error.h"
#include "files/hub/cache.h"
#include "files/hub/file_lock.h"
#include "files/hub/hub.h"

namespace linnet::hub {
namespace fs = std::filesystem;
namespace {

// Every lock of the repository, or Error if one is held by someone else.
std::vector<FileLock> take_all_locks(const RepoCache& cache, std::string_view repo) {
  std::vector<fs::path> paths = {cache.pull_lock()};
  std::error_code error;
  for (fs::directory_iterator at(cache.locks(), error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".lock" && at->path() != cache.pull_lock()) paths.push_back(at->path());
  }
  std::vector<FileLock> locks;
  for (const auto& path : paths) {
    auto lock = FileLock::try_acquire(path, LockKind::exclusive);
    if (!lock) {
      fail(ErrorKind::failure, "hub: ", repo, " is being downloaded by another process (it holds '",
           path.string(), "'); nothing was removed");
    }
    locks.push_back(std::move(*lock));
  }
  return locks;
}

uint64_t bytes_in(const fs::path& folder) {
  uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (at->is_symlink(gone) || !at->is_regular_file(gone)) continue;
    const auto size = at->file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

void remove_folder(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  if (error) fail(ErrorKind::failure, "hub: cannot remove '", folder.string(), "': ", error.message());
}

}  // namespace

uint64_t remove(std::string_view text, const Options& options) {
  const ModelName name = parse_model_name(text);
  if (name.repo != text)
    fail(ErrorKind::usage, "hub: whole repositories are removed: name ", name.repo, " alone");
  const RepoCache cache(options.cache, name.repo);
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(cache.folder(), ignored))) {
    fail(ErrorKind::model, "hub: ", name.repo, " is not in the cache '", options.cache.string(), "'");
  }
  if (fs::is_symlink(cache.folder(),
                     ignored)) {  // moved elsewhere by the user: what is there is not ours to delete
    fs::remove(cache.folder(), ignored);
    return 0;
  }
  const auto locks = take_all_locks(cache, name.repo);
  const uint64_t bytes = bytes_in(cache.folder());
  // References and snapshots before what they lead to: an interruption leaves no model that looks whole.
  for (const char* part : {"refs", "snapshots", "blobs"}) remove_folder(cache.folder() / part);
  remove_folder(cache.folder());
  remove_folder(cache.locks());
  return bytes;
}

}  // namespace linnet::hub
