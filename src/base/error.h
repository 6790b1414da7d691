// The one exception type of Linnet. Its kind says what the caller can do about it and is the exit code of the
// command line.
#pragma once

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>

namespace linnet {

enum class ErrorKind : uint8_t {
  failure = 1,       // something went wrong while running
  usage = 2,         // the caller asked for something that cannot be
  model = 3,         // a model file is missing or invalid
  device = 4,        // the device asked for is not available
  does_not_fit = 5,  // the plan needs more memory than there is
  interrupted = 130,
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  [[nodiscard]] int exit_code() const noexcept { return static_cast<int>(kind_); }

 private:
  ErrorKind kind_;
};

// Joins its arguments as a stream would: concat("[add] b: expected ", shape, ", got ", other).
template <class... Parts>
[[nodiscard]] std::string concat(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return std::move(out).str();
}

template <class... Parts>
[[noreturn]] void fail(ErrorKind kind, const Parts&... parts) {
  throw Error(kind, concat(parts...));
}

}  // namespace linnet
