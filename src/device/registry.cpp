#include "device/registry.h"

#include <algorithm>

namespace linnet {
namespace {

OpenedDevice open_automatic(const Registry& registry, const DeviceOptions& options) {
  std::string passed_over;
  for (const Backend& backend : registry) {
    if (!backend.automatic || !backend.compiled_in) continue;
    std::string reason = backend.unavailable();
    if (reason.empty()) {
      try {
        std::string note = passed_over.empty() ? "" : concat("using ", backend.name, ": ", passed_over);
        return {backend.open(options), std::move(note)};
      } catch (const Error& error) {  // all of its memory may be in use, say
        if (error.kind() == ErrorKind::usage) throw;
        reason = error.what();
      }
    }
    passed_over += concat(passed_over.empty() ? "" : "; ", backend.name, " cannot be used (", reason, ")");
  }
  fail(ErrorKind::device, "no device can be used", passed_over.empty() ? "" : ": ", passed_over);
}

}  // namespace

Launching launching_named(std::string_view name) {
  if (name.empty() || name == "auto") return Launching::automatic;
  if (name == "walk") return Launching::walk;
  if (name == "graph") return Launching::graph;
  if (name == "kernels") return Launching::kernels;
  fail(ErrorKind::usage, "launching: expected auto, walk, graph or kernels, got '", name, "'");
}

OpenedDevice open_device(const Registry& registry, std::string_view name, const DeviceOptions& options) {
  if (name == "auto") return open_automatic(registry, options);
  const auto found = std::ranges::find(registry, name, &Backend::name);
  if (found == registry.end()) {
    std::string names = "auto";
    for (const Backend& backend : registry) names += ", " + backend.name;
    fail(ErrorKind::usage, "unknown device '", name, "': expected one of ", names);
  }
  if (const std::string reason = found->unavailable(); !reason.empty()) {
    fail(ErrorKind::device, "device '", name, "' cannot be used: ", reason);
  }
  return {found->open(options), {}};
}

}  // namespace linnet
