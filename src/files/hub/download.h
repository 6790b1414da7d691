// One file of a repository, from the server into blobs and snapshot.
#pragma once

#include <string>

#include "files/hub/cache.h"
#include "files/hub/client.h"
#include "files/hub/digest.h"
#include "files/hub/listing.h"
#include "files/hub/progress.h"

namespace linnet::hub {

// All that stays the same for the files of one pull.
struct PullContext {
  const Options& options;
  Client& client;
  const RepoCache& cache;
  std::string repo;
  std::string commit;
  ProgressReporter& reporter;
};

// What the file must be, by the headers of the server; throws if they contradict its listing.
[[nodiscard]] FileIdentity identify(const PullContext& context, const RemoteFile& file);

// Puts the file into the snapshot unless it is there; another process that is at it is waited for. Returns
// the bytes that came over the network.
uint64_t bring(const PullContext& context, const std::string& name, const FileIdentity& identity);

}  // namespace linnet::hub
