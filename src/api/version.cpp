#include "linnet/linnet.hpp"

namespace linnet::v0 {

std::string_view version() noexcept {
  return LINNET_VERSION;
}

}  // namespace linnet::v0
