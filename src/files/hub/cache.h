// The cache folder as Hugging Face's Python client lays it out:
//   models--org--repo/blobs/<etag>                   contents
//   models--org--repo/snapshots/<commit>/<file>      relative links to blobs
//   models--org--repo/refs/<revision>                the commit it pointed to when last asked
//   .locks/models--org--repo/<etag>.lock
// The Python client writes a reference before the files; here it comes last, so that a reference made by a
// pull means that the pull was complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace linnet::hub {

class RepoCache {
 public:
  RepoCache(const std::filesystem::path& cache, std::string_view repo);

  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }
  [[nodiscard]] const std::filesystem::path& locks() const noexcept { return locks_; }
  [[nodiscard]] std::filesystem::path blob(const std::string& etag) const { return folder_ / "blobs" / etag; }
  [[nodiscard]] std::filesystem::path partial(const std::string& etag) const {
    return blob(etag + ".incomplete");
  }
  [[nodiscard]] std::filesystem::path lock(const std::string& etag) const {
    return locks_ / (etag + ".lock");
  }
  // Held shared by every pull, so that remove() sees one that is between two files.
  [[nodiscard]] std::filesystem::path pull_lock() const { return locks_ / "linnet-pull.lock"; }
  [[nodiscard]] std::filesystem::path snapshot(const std::string& commit) const {
    return folder_ / "snapshots" / commit;
  }

  void make_folders() const;

  // True iff the snapshot has the file and its contents are there.
  [[nodiscard]] bool has_file(const std::string& commit, const std::string& name) const;
  // Makes the snapshot's file a link to the blob.
  void link(const std::string& commit, const std::string& name, const std::string& etag) const;

  // The commit of a revision, which may be one itself; nothing if the cache does not know.
  [[nodiscard]] std::optional<std::string> commit_of(const std::string& revision) const;
  void write_reference(const std::string& revision, const std::string& commit) const;
  // Revision → commit, of all there are.
  [[nodiscard]] std::map<std::string, std::string> references() const;

  // Name → size of the snapshot's files that are there.
  [[nodiscard]] std::map<std::string, uint64_t> files(const std::string& commit) const;

 private:
  std::filesystem::path folder_;
  std::filesystem::path locks_;
};

// "models--org--repo" and back; nothing for a folder that is no model's.
[[nodiscard]] std::string folder_name(std::string_view repo);
[[nodiscard]] std::optional<std::string> repo_of_folder(std::string_view folder);

}  // namespace linnet::hub
