// The one exception type of the public API.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "linnet/export.hpp"

namespace linnet::LINNET_V0 {

// What the caller can do about it. The numbers are the exit codes of the command line and the status codes of
// the C ABI.
enum class ErrorKind : uint8_t {
  failure = 1,       // something went wrong while running
  usage = 2,         // the caller asked for something that cannot be
  model = 3,         // a model file is missing or invalid
  device = 4,        // the device asked for is not available
  does_not_fit = 5,  // more memory is needed than there is
  interrupted = 130,
};

class LINNET_API Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message);
  Error(const Error&) noexcept = default;
  Error& operator=(const Error&) noexcept = default;
  ~Error() override;

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

 private:
  ErrorKind kind_;
};

}  // namespace linnet::LINNET_V0
