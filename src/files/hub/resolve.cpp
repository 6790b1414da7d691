#include <fstream>
#include <set>

#include "base/error.h"
#include "base/quoted.h"
#include "files/hub/cache.h"
#include "files/hub/hub.h"
#include "files/hub/listing.h"
#include "files/hub/local.h"
#include "files/hub/selection.h"

namespace linnet::hub {
namespace {

// The model among the files of a snapshot, complete; throws Error otherwise.
PulledModel assemble(const ModelName& name, const RepoCache& cache, const std::string& commit) {
  std::set<std::string> names;
  for (const auto& [file, size] : cache.files(commit)) names.insert(file);
  Selection selection = select_files(name.repo, names, name.quant);

  PulledModel model;
  model.repo = name.repo;
  model.commit = commit;
  model.snapshot = cache.snapshot(commit);
  model.files = std::move(selection.files);
  if (!selection.index.empty()) {
    for (auto& shard : read_shards(model.snapshot / selection.index)) {
      if (!names.contains(shard))
        fail(ErrorKind::model, "hub: ", name.repo, ": ", quoted_name(shard), " is missing");
      model.files.push_back(std::move(shard));
    }
  }
  model.model = selection.gguf.empty() ? model.snapshot : model.snapshot / selection.gguf;
  return model;
}

}  // namespace

std::vector<std::string> read_shards(const std::filesystem::path& index) {
  std::error_code error;
  const auto size = std::filesystem::file_size(index, error);
  if (error || size > kMostJsonBytes) fail(ErrorKind::failure, "hub: cannot read '", index.string(), "'");
  std::string text(size, '\0');
  std::ifstream file(index, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return parse_shards(text);
}

LocalSearch find_local(const ModelName& name, const Options& options) {
  const RepoCache cache(options.cache, name.repo);
  const auto commit = cache.commit_of(name.revision);
  if (!commit)
    return {std::nullopt,
            concat("no revision ", quoted_name(name.revision), " in '", cache.folder().string(), "'")};
  try {
    return {assemble(name, cache, *commit), {}};
  } catch (const Error& error) {
    return {std::nullopt, error.what()};
  }
}

PulledModel get_local(const ModelName& name, const Options& options) {
  LocalSearch search = find_local(name, options);
  if (search.found) return *std::move(search.found);
  fail(
      ErrorKind::model, "hub: ", name.repo, name.quant.empty() ? "" : ":", name.quant,
      " is not in the cache (", search.reason,
      options.offline ? "), and in offline mode (HF_HUB_OFFLINE) nothing is downloaded" : "); pull it first");
}

std::filesystem::path resolve(std::string_view text, const Options& options, IfMissing if_missing,
                              const ProgressCallback& progress) {
  const ModelName name = parse_model_name(text);
  if (if_missing == IfMissing::fail || options.offline) return get_local(name, options).model;
  if (auto search = find_local(name, options); search.found) return std::move(search.found->model);
  return pull(text, options, progress).model;
}

}  // namespace linnet::hub
