// Errors: TemplateError is what a caller sees, with its line; Failure is the same before the line is known.
#pragma once

#include <string>
#include <utility>

#include "base/error.h"

namespace linnet::jinja {

class TemplateError : public Error {
 public:
  TemplateError(ErrorKind kind, int line, const std::string& reason)
      : Error(kind, concat("template line ", line, ": ", reason)), line_(line), reason_(reason) {}
  [[nodiscard]] int line() const noexcept { return line_; }
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }

 private:
  int line_;
  std::string reason_;
};

// Thrown by what does not know where in the template it is called from; Template::render adds the line.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class... Parts>
[[noreturn]] void raise(const Parts&... parts) {
  throw Failure(concat(parts...));
}

}  // namespace linnet::jinja
