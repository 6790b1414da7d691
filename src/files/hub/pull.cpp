#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/quoted.h"
#include "files/hub/cache.h"
#include "files/hub/client.h"
#include "files/hub/download.h"
#include "files/hub/file_lock.h"
#include "files/hub/hub.h"
#include "files/hub/listing.h"
#include "files/hub/local.h"
#include "files/hub/selection.h"

namespace linnet::hub {
namespace {

ModelListing fetch_listing(Client& client, const ModelName& name) {
  const std::string path =
      concat("/api/models/", name.repo, "/revision/", percent_encode(name.revision), "?blobs=true");
  return parse_listing(client.get_text(path, concat(name.repo, "@", name.revision), kMostJsonBytes));
}

// Brings the named files in their order. All are asked for first, so that the total is known before the first
// byte.
void bring_all(const PullContext& context, const ModelListing& listing, const std::vector<std::string>& names,
               PulledModel& model) {
  std::vector<FileIdentity> identities;
  for (const auto& name : names) {
    const auto file = std::find_if(listing.files.begin(), listing.files.end(),
                                   [&](const RemoteFile& candidate) { return candidate.name == name; });
    if (file == listing.files.end()) {
      fail(ErrorKind::model, "hub: ", context.repo, " has no file ", quoted_name(name),
           ", which its index names");
    }
    const bool cached = context.cache.has_file(context.commit, name);
    identities.push_back(cached ? FileIdentity{{}, file->size.value_or(0)} : identify(context, *file));
    context.reporter.expect(identities.back().size);
  }
  for (size_t i = 0; i < names.size(); ++i) {
    context.reporter.begin(names[i], identities[i].size);
    if (!identities[i].etag.empty()) model.downloaded_bytes += bring(context, names[i], identities[i]);
    context.reporter.ready();
    model.files.push_back(names[i]);
  }
}

}  // namespace

PulledModel pull(std::string_view text, const Options& options, const ProgressCallback& progress) {
  const ModelName name = parse_model_name(text);
  if (options.offline) return get_local(name, options);

  Client client(options);
  const ModelListing listing = fetch_listing(client, name);
  std::set<std::string> names;
  for (const auto& file : listing.files) names.insert(file.name);
  const Selection selection = select_files(name.repo, names, name.quant);

  const RepoCache cache(options.cache, name.repo);
  const auto lock = FileLock::acquire(cache.pull_lock(), LockKind::shared, options, {});
  cache.make_folders();
  ProgressReporter reporter(progress);
  const PullContext context{options, client, cache, name.repo, listing.commit, reporter};

  PulledModel model;
  model.repo = name.repo;
  model.commit = listing.commit;
  model.snapshot = cache.snapshot(listing.commit);
  model.model = selection.gguf.empty() ? model.snapshot : model.snapshot / selection.gguf;
  bring_all(context, listing, selection.files, model);
  if (!selection.index.empty()) {
    bring_all(context, listing, read_shards(model.snapshot / selection.index), model);
  }
  cache.write_reference(name.revision, listing.commit);
  return model;
}

}  // namespace linnet::hub
