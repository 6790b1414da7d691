// The execution receipt: what ran, where, how often, how long and over how many bytes, counted by the kernels
// themselves and timed by the device's own clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace linnet {

struct ReceiptLine {
  std::string op;
  uint64_t count = 0;
  double seconds = 0;
  uint64_t bytes = 0;  // read and written by the kernel
};

struct Receipt {
  std::string backend;  // "cpu"
  std::string device;   // "AMD EPYC 9R14"
  uint64_t runs = 0;    // programs run
  uint64_t walked = 0;  // of those, with all layers in one kernel of a GPU
  std::vector<ReceiptLine> lines;

  [[nodiscard]] double seconds() const noexcept;
  [[nodiscard]] uint64_t bytes() const noexcept;
  [[nodiscard]] uint64_t count() const noexcept;
  // What was added since an earlier receipt of the same device.
  [[nodiscard]] Receipt since(const Receipt& earlier) const;
};

}  // namespace linnet
