// A GGUF model in several files, as llama.cpp's gguf-split writes them: "NAME-00001-of-00003.gguf". The first
// part has the model's metadata, each part its share of the tensors and three keys that say which part it is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/gguf.h"
#include "files/metadata.h"

namespace linnet {

inline constexpr std::string_view kSplitNumberKey = "split.no";
inline constexpr std::string_view kSplitCountKey = "split.count";
inline constexpr std::string_view kSplitTensorsKey = "split.tensors.count";

// What a part says about itself.
struct GgufSplit {
  uint32_t number = 0;  // from 0
  uint32_t count = 1;
  uint64_t tensors = 0;  // of all parts
};

// Nothing for a file that is a whole model. Throws Error(model) for keys that contradict each other.
[[nodiscard]] std::optional<GgufSplit> gguf_split(const Metadata& metadata);

// The paths of all parts, by the name of one of them. Throws Error(model) if the name is not that of the part
// that the split says, or naming the parts that are missing.
[[nodiscard]] std::vector<std::filesystem::path> split_paths(const std::filesystem::path& part,
                                                             const GgufSplit& split);

// One model of all its parts, in their order: the first one's metadata, and the tensors of all with their
// part's number as TensorInfo::file. Throws Error(model) if they do not belong together.
[[nodiscard]] GgufContents join_gguf_parts(std::vector<GgufContents> parts);

}  // namespace linnet
