#include "device/receipt.h"

#include <algorithm>

namespace linnet {

double Receipt::seconds() const noexcept {
  double sum = 0;
  for (const ReceiptLine& line : lines) sum += line.seconds;
  return sum;
}

uint64_t Receipt::bytes() const noexcept {
  uint64_t sum = 0;
  for (const ReceiptLine& line : lines) sum += line.bytes;
  return sum;
}

uint64_t Receipt::count() const noexcept {
  uint64_t sum = 0;
  for (const ReceiptLine& line : lines) sum += line.count;
  return sum;
}

Receipt Receipt::since(const Receipt& earlier) const {
  Receipt result{.backend = backend,
                 .device = device,
                 .runs = runs - earlier.runs,
                 .walked = walked - earlier.walked,
                 .lines = {}};
  for (ReceiptLine line : lines) {
    const auto before = std::ranges::find(earlier.lines, line.op, &ReceiptLine::op);
    if (before != earlier.lines.end()) {
      line.count -= before->count;
      line.seconds -= before->seconds;
      line.bytes -= before->bytes;
    }
    if (line.count != 0) result.lines.push_back(std::move(line));
  }
  return result;
}

}  // namespace linnet
