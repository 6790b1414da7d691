// Names of the parts of a model in several files: "NAME-00001-of-00003.gguf", and the same for safetensors.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace linnet {

struct PartName {
  std::string stem;  // "NAME"
  uint32_t number = 1;
  uint32_t count = 1;
};

// Nothing if the name is not that of a part. The extension begins with its point.
[[nodiscard]] inline std::optional<PartName> parse_part_name(std::string_view name,
                                                             std::string_view extension) {
  constexpr std::string_view kPattern = "-00001-of-00003";
  constexpr std::string_view kOf = "-of-";
  constexpr size_t kDigits = 5;
  if (!name.ends_with(extension) || name.size() <= kPattern.size() + extension.size()) return std::nullopt;
  name.remove_suffix(extension.size());
  const std::string_view tail = name.substr(name.size() - kPattern.size());
  const std::string_view number = tail.substr(1, kDigits);
  const std::string_view count = tail.substr(1 + kDigits + kOf.size());
  const auto is_number = [](std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (tail[0] != '-' || tail.substr(1 + kDigits, kOf.size()) != kOf || !is_number(number) ||
      !is_number(count))
    return std::nullopt;
  PartName part{std::string(name.substr(0, name.size() - kPattern.size()))};
  std::from_chars(number.data(), number.data() + number.size(), part.number);
  std::from_chars(count.data(), count.data() + count.size(), part.count);
  return part;
}

}  // namespace linnet
