#include "output.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/error.h"

namespace linnet::cli {
namespace {

// Columns that a terminal shows: UTF-8 continuation bytes take none.
size_t width_of(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

void print(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EPIPE) {
      throw ReaderGone();
    } else if (errno != EINTR) {
      fail(ErrorKind::failure, "cannot write to stdout: ", std::strerror(errno));
    }
  }
}

void print_error(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
    if (written < 0 && errno != EINTR) return;
  }
}

bool stdin_is_terminal() noexcept {
  return ::isatty(STDIN_FILENO) == 1;
}
bool stderr_is_terminal() noexcept {
  return ::isatty(STDERR_FILENO) == 1;
}

std::string read_stdin() {
  std::string text;
  std::array<char, 1 << 16> chunk;
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    if (got == 0) return text;
    if (got > 0) {
      text.append(chunk.data(), static_cast<size_t>(got));
    } else if (errno != EINTR) {
      fail(ErrorKind::failure, "cannot read from stdin: ", std::strerror(errno));
    }
  }
}

void open_standard_streams() noexcept {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    // The lowest free number is taken, which is `descriptor` as those below are open.
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF && ::open("/dev/null", O_RDWR) < 0) ::_exit(1);
  }
}

std::string table(const std::vector<std::vector<std::string>>& rows, std::string_view right) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width_of(row[i]), ' ');
      const bool to_the_right = i < right.size() && right[i] == 'r';
      if (i != 0) line += "  ";
      line += to_the_right ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string scientific(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.2g", value);
  return text.data();
}

}  // namespace linnet::cli
