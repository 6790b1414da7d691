// Names as users write them and as servers send them. What a server sends is hostile: a name that passes here
// can be a part of a path.
#pragma once

#include <string>
#include <string_view>

namespace linnet::hub {

struct ModelName {
  std::string repo;               // "org/repo"
  std::string revision = "main";  // branch, tag or commit
  std::string quant;              // "Q8_0", or a path ending in ".gguf"; empty for the default
};

// "org/repo[@revision][:quant]". Throws Error(usage).
[[nodiscard]] ModelName parse_model_name(std::string_view text);
// True iff parse_model_name() takes it. Says nothing about whether there is such a model, or a file of that
// name.
[[nodiscard]] bool is_model_name(std::string_view text);

// Relative, no empty, "." or ".." component, no control character or backslash, of a length file systems
// take.
[[nodiscard]] bool is_safe_path(std::string_view path);
// Throws Error(failure) saying that the server sent it, unless is_safe_path().
void check_file_name(std::string_view name);

// 40 (a git object) or `digits` lower-case hexadecimal digits.
[[nodiscard]] bool is_hex(std::string_view text, size_t digits = 40);

}  // namespace linnet::hub
