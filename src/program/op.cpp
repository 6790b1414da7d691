#include "program/op.h"

namespace linnet {

std::string_view op_name(const Op& op) noexcept {
  return std::visit([](const auto& each) { return std::remove_cvref_t<decltype(each)>::kName; }, op);
}

}  // namespace linnet
