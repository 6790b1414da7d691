// The execution receipt: which ops ran where, how often, how long and over how many bytes, counted by the
// kernels themselves and timed by the device's own clock.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "linnet/export.hpp"

namespace linnet::LINNET_V0 {

struct ReceiptLine {
  std::string op = {};
  uint64_t count = 0;
  double seconds = 0;
  uint64_t bytes = 0;  // read and written
};

struct LINNET_API Receipt {
  std::string backend = {};  // "cpu"
  std::string device = {};   // the processor's own name
  uint64_t runs = 0;         // programs run
  uint64_t walked = 0;       // of those, with all layers in one kernel of a GPU
  std::vector<ReceiptLine> lines = {};

  [[nodiscard]] double seconds() const noexcept;
  [[nodiscard]] uint64_t bytes() const noexcept;
  [[nodiscard]] uint64_t count() const noexcept;
  [[nodiscard]] std::string to_json() const;
};

// A table: op, count, milliseconds, gigabytes, gigabytes per second, device.
LINNET_API std::ostream& operator<<(std::ostream& out, const Receipt& receipt);

}  // namespace linnet::LINNET_V0
