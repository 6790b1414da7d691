// Searching bytes in bytes in linear time, whatever the pattern: templates are hostile input.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

namespace linnet::jinja {

// The first place ≥ from where needle is, or npos. glibc's memmem is the two-way algorithm: linear.
[[nodiscard]] inline size_t find_bytes(std::string_view text, std::string_view needle, size_t from) noexcept {
  if (from > text.size()) return std::string_view::npos;
  if (needle.empty()) return from;
  const void* found = memmem(text.data() + from, text.size() - from, needle.data(), needle.size());
  return found ? static_cast<size_t>(static_cast<const char*>(found) - text.data()) : std::string_view::npos;
}

// The last place where needle is, or npos.
[[nodiscard]] inline size_t find_last_bytes(std::string_view text, std::string_view needle) {
  if (needle.size() < 8) return text.rfind(needle);
  const std::string backwards(text.rbegin(), text.rend());
  const std::string pattern(needle.rbegin(), needle.rend());
  const size_t found = find_bytes(backwards, pattern, 0);
  return found == std::string_view::npos ? found : text.size() - found - needle.size();
}

}  // namespace linnet::jinja
