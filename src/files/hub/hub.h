// Models from the Hugging Face hub: pulled into the cache that the Python client uses, found there, listed
// and removed. A model is named "org/repo", "org/repo:quant" (a GGUF file, e.g. :Q8_0, or :name.gguf) or
// "org/repo@revision[:quant]".
// Goals: a cache both clients can share at the same time; nothing unchecked ever appears in a snapshot; a
// hostile server costs bounded memory and reaches no file outside the cache and no private address.
// Not here: datasets and spaces, uploads, the xet protocol (its files come over plain https).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "files/hub/names.h"
#include "files/hub/options.h"

namespace linnet::hub {

enum class Stage : uint8_t {
  waiting,   // for another process that is downloading the same file
  checking,  // reading what is on disk to hash it
  downloading,
  ready,  // the file is in the snapshot
};

struct Progress {
  Stage stage = Stage::downloading;
  std::string_view file;  // name in the repository
  uint64_t done = 0;      // bytes of this file
  uint64_t total = 0;
  uint64_t all_done = 0;  // bytes of all files of this pull that are known so far
  uint64_t all_total = 0;
  size_t file_number = 0;  // from 1
  size_t file_count = 0;
};
// Called from the pulling thread, about ten times a second for a file in progress and once when it is ready.
using ProgressCallback = std::function<void(const Progress&)>;

struct PulledModel {
  std::string repo;
  std::string commit;
  std::filesystem::path snapshot;  // folder
  std::filesystem::path model;     // what to load: the snapshot's folder or its (first) GGUF file
  std::vector<std::string> files;  // of the snapshot, in the order they were pulled
  uint64_t downloaded_bytes = 0;   // 0 if everything was there
};

// Brings what Linnet needs of a model into the cache; with options.offline, what is cached is all there is.
// Throws Error: usage for a name that cannot be, model for one that does not exist, has no such quantization
// or is not cached while offline, interrupted when *options.interrupt became true (partial files stay and
// the next pull continues them), failure for everything else.
PulledModel pull(std::string_view name, const Options& options, const ProgressCallback& progress = {});

enum class IfMissing : uint8_t { fail, pull };
// The folder or the (first) GGUF file to load for a name, from the cache without asking the network;
// Error(model) if it is not there completely, unless `if_missing` says to pull it then.
[[nodiscard]] std::filesystem::path resolve(std::string_view name, const Options& options,
                                            IfMissing if_missing = IfMissing::fail,
                                            const ProgressCallback& progress = {});

struct CachedFile {
  std::string name;
  uint64_t size = 0;
};
// One snapshot of a repository in the cache.
struct CachedModel {
  std::string repo;
  std::string commit;
  std::vector<std::string> revisions;  // branches and tags that point to the commit: "main"
  uint64_t size = 0;                   // of its files; snapshots of one repository may share some
  std::vector<CachedFile> files;       // by name
  std::filesystem::path snapshot;
  std::chrono::system_clock::time_point
      last_used;  // the latest access of a file, as the file system keeps it
};
// By name of the repository; folders that are no model's are passed over.
[[nodiscard]] std::vector<CachedModel> list(const Options& options);

// Removes all of a repository ("org/repo") from the cache, partial files and locks too, and returns the bytes
// that were freed. Error(model) if it is not there, Error(failure) while another process downloads into it.
uint64_t remove(std::string_view repo, const Options& options);

}  // namespace linnet::hub
