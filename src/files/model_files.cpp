#include "files/model_files.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/mapped_file.h"
#include "files/gguf.h"
#include "files/part_name.h"
#include "files/safetensors.h"

namespace linnet {
namespace {

using Path = std::filesystem::path;

constexpr std::string_view kGgufExtension = ".gguf";
constexpr std::string_view kSafetensorsExtension = ".safetensors";

[[nodiscard]] bool is_there(const Path& path) {
  std::error_code ignored;  // what cannot be looked at is as good as absent
  return std::filesystem::exists(path, ignored);
}

[[nodiscard]] Path folder_of(const Path& file) {
  return file.has_parent_path() ? file.parent_path() : Path(".");
}

[[nodiscard]] std::vector<std::string> names_in(const Path& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  if (error) fail(ErrorKind::model, "cannot read the folder '", folder.string(), "': ", error.message());
  std::sort(names.begin(), names.end());
  return names;
}

// A projector for images is no model of its own, and of several parts the first one stands for all.
[[nodiscard]] bool is_gguf_model(const std::string& name) {
  if (!name.ends_with(kGgufExtension) || name.starts_with("mmproj")) return false;
  const auto part = parse_part_name(name, kGgufExtension);
  return !part || part->number == 1;
}

[[nodiscard]] bool is_safetensors_file(const std::string& name) {
  return name.ends_with(kSafetensorsExtension);
}

template <class Predicate>
[[nodiscard]] std::vector<std::string> chosen(const std::vector<std::string>& names, Predicate predicate) {
  std::vector<std::string> result;
  std::copy_if(names.begin(), names.end(), std::back_inserter(result), predicate);
  return result;
}

[[nodiscard]] ModelFiles open_safetensors_file(const Path& path) {
  const auto part = parse_part_name(path.filename().string(), kSafetensorsExtension);
  if (!part || part->count == 1) return {open_safetensors(path), folder_of(path)};
  const Path index = path.parent_path() / (part->stem + ".safetensors.index.json");
  if (!is_there(index)) {
    fail(ErrorKind::model, "'", path.string(), "' is part ", part->number, " of ", part->count,
         " of a model; their index '", index.filename().string(), "' is missing beside it");
  }
  return {open_safetensors_index(index), folder_of(path)};
}

[[nodiscard]] ModelFiles open_folder(const Path& folder) {
  const std::vector<std::string> names = names_in(folder);
  if (const Path whole = folder / kSafetensorsName; is_there(whole)) return {open_safetensors(whole), folder};
  if (const Path index = folder / kSafetensorsIndexName; is_there(index))
    return {open_safetensors_index(index), folder};
  const auto safetensors = chosen(names, is_safetensors_file);
  if (safetensors.size() == 1) return open_safetensors_file(folder / safetensors.front());
  if (safetensors.size() > 1) {
    fail(ErrorKind::model, "'", folder.string(), "' has several safetensors files but no ",
         kSafetensorsIndexName, ": ", listed(safetensors));
  }
  const auto ggufs = chosen(names, is_gguf_model);
  if (ggufs.size() == 1) return open_gguf(folder / ggufs.front());
  if (ggufs.size() > 1) {
    fail(ErrorKind::model, "'", folder.string(), "' has several models; name one of ", listed(ggufs));
  }
  fail(ErrorKind::model, "'", folder.string(), "' has no weights: neither ", kSafetensorsName, " nor ",
       kSafetensorsIndexName, " nor a GGUF file");
}

// By what the file is, not by its name: caches and pipes name files as they like.
[[nodiscard]] bool looks_like_safetensors(const Path& path) {
  const MappedFile file(path);
  constexpr size_t kBrace = 8;  // after the length of the header
  const auto bytes = file.bytes();
  if (bytes.size() >= 4 && std::memcmp(bytes.data(), "GGUF", 4) == 0) return false;
  return path.extension() == kSafetensorsExtension ||
         (bytes.size() > kBrace && bytes[kBrace] == std::byte{'{'});
}

}  // namespace

ModelFiles open_model(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return open_folder(path);
  if (path.filename().string().ends_with(".safetensors.index.json"))
    return {open_safetensors_index(path), folder_of(path)};
  return looks_like_safetensors(path) ? open_safetensors_file(path) : ModelFiles(open_gguf(path));
}

}  // namespace linnet
