// The JSON of a safetensors header, read as it streams by: no tree is built of what a file says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/metadata.h"

namespace linnet {

// An entry as the header states it; nothing is checked but that each part is there once and of its type.
struct SafetensorsEntry {
  std::string name;
  std::string type;  // "F32"
  std::vector<uint64_t> shape;
  uint64_t begin = 0;  // of the data section
  uint64_t end = 0;
};

struct SafetensorsHeader {
  Metadata metadata;                      // of "__metadata__": strings
  std::vector<SafetensorsEntry> entries;  // in the order of the text, names distinct
};

// Throws Error(model) "safetensors: header: …" that says where.
[[nodiscard]] SafetensorsHeader read_safetensors_header(std::string_view text);

}  // namespace linnet
