// Where the built-in model lies. It is found from the place of this code, so that an installation can be
// moved and a build folder works as it is.
#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <system_error>

#include "api/boundary.h"
#include "linnet/text.hpp"

namespace linnet::v0 {
namespace {

using Path = std::filesystem::path;

constexpr const char* kFile = "share/linnet/linnet-text.gguf";
constexpr const char* kVariable = "LINNET_BUILTIN";

// The shared library or the program that this function was linked into; empty if the system does not say.
[[nodiscard]] Path this_module() {
  Dl_info info{};
  void* map = nullptr;
  if (::dladdr1(reinterpret_cast<const void*>(&this_module), &info, &map, RTLD_DL_LINKMAP) == 0) return {};
  // The program itself has no name there, and the one in dli_fname is what it was called by.
  const char* name = static_cast<const link_map*>(map)->l_name;
  std::error_code ignored;
  return std::filesystem::canonical(*name != 0 ? name : "/proc/self/exe", ignored);
}

[[nodiscard]] bool is_there(const Path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

[[nodiscard]] Path find_model() {
  if (const char* given = std::getenv(kVariable); given != nullptr && *given != 0) {
    if (is_there(given)) return given;
    fail(linnet::ErrorKind::model, kVariable, " says ", given, ", where there is nothing");
  }
  const Path folder = this_module().parent_path();
  // A build folder; bin or lib of an installation; lib/x86_64-linux-gnu of one.
  for (const Path& above : {folder, folder / "..", folder / ".." / ".."}) {
    if (!folder.empty() && is_there(above / kFile)) return (above / kFile).lexically_normal();
  }
  fail(linnet::ErrorKind::model, "the built-in model is not there: no ", kFile, " for ", folder.string(),
       "; name a model with -m, or set ", kVariable, " to a GGUF file");
}

}  // namespace

std::filesystem::path builtin_text_model() {
  return at_boundary([] { return find_model(); });
}

}  // namespace linnet::v0
