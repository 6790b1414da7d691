#include "files/gguf_split.h"

#include <array>
#include <cstdio>
#include <set>

#include "base/error.h"
#include "base/quoted.h"
#include "files/part_name.h"

namespace linnet {
namespace {

constexpr uint32_t kMostParts = UINT16_MAX;  // the type of split.count in the files
constexpr std::string_view kExtension = ".gguf";

// "-00001-of-00003.gguf"
[[nodiscard]] std::string ending(uint32_t number, uint32_t count) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "-%05u-of-%05u", number + 1, count);
  return std::string(text.data()) + std::string(kExtension);
}

}  // namespace

std::optional<GgufSplit> gguf_split(const Metadata& metadata) {
  const auto count = metadata.find_u32(kSplitCountKey);
  if (!count || *count <= 1) return std::nullopt;
  GgufSplit split;
  split.count = *count;
  split.number = metadata.get_u32(kSplitNumberKey);
  split.tensors = metadata.get_u64(kSplitTensorsKey);
  if (split.count > kMostParts)
    fail(ErrorKind::model, "key '", kSplitCountKey, "': expected at most ", kMostParts, ", got ",
         split.count);
  if (split.number >= split.count) {
    fail(ErrorKind::model, "key '", kSplitNumberKey, "': expected less than the ", split.count,
         " parts, got ", split.number);
  }
  return split;
}

std::vector<std::filesystem::path> split_paths(const std::filesystem::path& part, const GgufSplit& split) {
  const auto name = parse_part_name(part.filename().string(), kExtension);
  if (!name || name->number != split.number + 1 || name->count != split.count) {
    fail(ErrorKind::model, "'", part.string(), "' is part ", split.number + 1, " of ", split.count,
         " of a model; its name must end in '", ending(split.number, split.count),
         "' for the others to be found");
  }
  std::vector<std::filesystem::path> paths;
  std::vector<std::string> missing;
  for (uint32_t number = 0; number < split.count; ++number) {
    paths.push_back(part.parent_path() / (name->stem + ending(number, split.count)));
    std::error_code ignored;  // what cannot be looked at counts as missing
    if (!std::filesystem::exists(paths.back(), ignored)) missing.push_back(paths.back().filename().string());
  }
  if (!missing.empty()) {
    fail(ErrorKind::model, "'", part.string(), "' is part ", split.number + 1, " of ", split.count,
         " of a model, and these are missing beside it: ", listed(missing));
  }
  return paths;
}

GgufContents join_gguf_parts(std::vector<GgufContents> parts) {
  std::set<std::string, std::less<>> names;
  std::vector<TensorInfo> tensors;
  std::optional<GgufSplit> first;
  for (uint32_t number = 0; number < parts.size(); ++number) {
    const auto split = gguf_split(parts[number].metadata);
    if (!split || split->number != number || split->count != parts.size()) {
      fail(ErrorKind::model, "gguf: part ", number + 1, " of ", parts.size(), " says that it is ",
           split ? concat("part ", split->number + 1, " of ", split->count) : std::string("a whole model"));
    }
    if (!first) first = split;
    for (TensorInfo& tensor : parts[number].tensors) {
      if (!names.insert(tensor.name).second) {
        fail(ErrorKind::model, "gguf: tensor ", quoted_name(tensor.name), " of part ", number + 1,
             " is in another part too");
      }
      tensor.file = number;
      tensors.push_back(std::move(tensor));
    }
  }
  if (!first || tensors.size() != first->tensors) {
    fail(ErrorKind::model, "gguf: key '", kSplitTensorsKey, "' is ", first ? first->tensors : 0,
         ", but the parts have ", tensors.size(), " tensors");
  }
  GgufContents whole = std::move(parts.front());
  whole.tensors = std::move(tensors);
  return whole;
}

}  // namespace linnet
