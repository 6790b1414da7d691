// Which files of a repository make a model. Works on names alone, so it serves the server's listing and a
// snapshot on disk alike.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace linnet::hub {

struct Selection {
  std::vector<std::string> files;  // in the order to pull them: small ones first
  std::string gguf;                // the (first) GGUF file to load; empty for a safetensors folder
  std::string index;  // the safetensors index whose shards are to be added to files; empty for none
};

// Throws Error(model) that says what there is if the repository has no such quantization, several that match
// equally, no default among several, a split file with missing parts, or nothing Linnet reads at all.
//   quant given     the GGUF file of that quantization with all of its parts
//   none, but safetensors in the outermost folder     model.safetensors, or its index, or whatever there is
//   none, GGUF only     the only one, or else the first of Q8_0, F16, BF16, F32
[[nodiscard]] Selection select_files(std::string_view repo, const std::set<std::string>& names,
                                     std::string_view quant);

// "Q4_K_M" of "model-Q4_K_M-00001-of-00002.gguf", in capitals; empty if the name says nothing.
[[nodiscard]] std::string quant_of(std::string_view name);

}  // namespace linnet::hub
