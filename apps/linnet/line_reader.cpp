#include "line_reader.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "interrupt.h"

namespace linnet::cli {

std::optional<std::string> LineReader::next() {
  std::array<char, 4096> chunk;
  size_t end = read_.find('\n');
  while (end == std::string::npos) {
    if (!wait_for_input(descriptor_)) fail(ErrorKind::interrupted, "interrupted");
    const ssize_t got = ::read(descriptor_, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(ErrorKind::failure, "cannot read from stdin: ", std::strerror(errno));
    if (got == 0) {
      if (read_.empty()) return std::nullopt;
      return std::exchange(read_, {});
    }
    read_.append(chunk.data(), static_cast<size_t>(got));
    end = read_.find('\n');
  }
  std::string line = read_.substr(0, end);
  read_.erase(0, end + 1);
  return line;
}

}  // namespace linnet::cli
