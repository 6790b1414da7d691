#include <sys/stat.h>

#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "files/hub/cache.h"
#include "files/hub/hub.h"

namespace linnet::hub {
namespace fs = std::filesystem;
namespace {

// Of the blob, as the link that leads to it is never read itself.
std::chrono::system_clock::time_point last_access(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return std::chrono::system_clock::from_time_t(std::max(status.st_atim.tv_sec, status.st_mtim.tv_sec));
}

CachedModel read_snapshot(const RepoCache& cache, const std::string& repo, const std::string& commit) {
  CachedModel model;
  model.repo = repo;
  model.commit = commit;
  model.snapshot = cache.snapshot(commit);
  for (const auto& [name, size] : cache.files(commit)) {
    model.files.push_back({name, size});
    model.size += size;
    model.last_used = std::max(model.last_used, last_access(model.snapshot / name));
  }
  for (const auto& [revision, target] : cache.references()) {
    if (target == commit) model.revisions.push_back(revision);
  }
  return model;
}

}  // namespace

std::vector<CachedModel> list(const Options& options) {
  std::vector<CachedModel> models;
  std::error_code error;
  for (fs::directory_iterator at(options.cache, error), end; !error && at != end; at.increment(error)) {
    const auto repo = repo_of_folder(at->path().filename().string());
    if (!repo) continue;
    const RepoCache cache(options.cache, *repo);
    std::error_code inner;
    for (fs::directory_iterator snapshot(cache.folder() / "snapshots", inner), last;
         !inner && snapshot != last; snapshot.increment(inner)) {
      auto model = read_snapshot(cache, *repo, snapshot->path().filename().string());
      if (!model.files.empty()) models.push_back(std::move(model));
    }
  }
  std::sort(models.begin(), models.end(), [](const CachedModel& a, const CachedModel& b) {
    return std::tie(a.repo, a.commit) < std::tie(b.repo, b.commit);
  });
  return models;
}

}  // namespace linnet::hub
