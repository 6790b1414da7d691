#include "linnet/error.hpp"

namespace linnet::v0 {

Error::Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}

// Here and not in the header: the class's type information then exists once, in the library, and catching
// works across its border.
Error::~Error() = default;

}  // namespace linnet::v0
