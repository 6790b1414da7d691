// The public C++ API of Linnet. It is source-compatible between versions; what is stable in binary form is
// the C ABI in linnet/linnet.h.
//
//   auto device = linnet::open_device("auto");
//   auto model = linnet::TextModel::load(linnet::builtin_text_model(), device);  // or a path of yours
//   model.chat({{"user", "What is the capital of France?"}}, {}, [](std::string_view piece) {
//     std::cout << piece << std::flush;
//     return true;  // false stops
//   });
//   std::cerr << model.last_receipt();  // what ran where, from the device's own clock
#pragma once

#include <string_view>

#include "linnet/device.hpp"
#include "linnet/error.hpp"
#include "linnet/export.hpp"
#include "linnet/ops.hpp"
#include "linnet/receipt.hpp"
#include "linnet/tensor.hpp"
#include "linnet/text.hpp"

namespace linnet::LINNET_V0 {

// Of the library that is loaded: "0.1.0".
[[nodiscard]] LINNET_API std::string_view version() noexcept;

}  // namespace linnet::LINNET_V0
