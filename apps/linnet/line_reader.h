// Lines from a terminal, one at a time.
#pragma once

#include <optional>
#include <string>

namespace linnet::cli {

class LineReader {
 public:
  explicit LineReader(int descriptor) noexcept : descriptor_(descriptor) {}

  // The next line without its newline; nothing at the end. Throws Error(interrupted) if Ctrl-C comes first,
  // Error(failure) if it cannot be read.
  [[nodiscard]] std::optional<std::string> next();

 private:
  int descriptor_;
  std::string read_;  // and not given out yet
};

}  // namespace linnet::cli
