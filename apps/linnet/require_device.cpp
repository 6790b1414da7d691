#include "require_device.h"

#include <algorithm>

#include "backends/compiled_in.h"
#include "base/error.h"

namespace linnet::cli {

void check_backend_name(const std::string& name) {
  const Registry registry = compiled_in_backends();
  if (std::ranges::find(registry, name, &Backend::name) != registry.end()) return;
  std::string names;
  for (const Backend& backend : registry) names += (names.empty() ? "" : ", ") + backend.name;
  fail(ErrorKind::usage, "--require-device: unknown device '", name, "': expected one of ", names);
}

void require_device(const v0::Receipt& receipt, const std::string& backend) {
  if (receipt.count() == 0) {
    fail(ErrorKind::failure, "--require-device ", backend, ": the receipt shows that nothing ran");
  }
  if (receipt.backend != backend) {
    fail(ErrorKind::failure, "--require-device ", backend, ": the receipt shows that ", receipt.count(),
         " ops ran on ", receipt.backend, " (", receipt.device, "); choose the device with --device ",
         backend);
  }
}

}  // namespace linnet::cli
