#include "api/receipt.h"

#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

namespace linnet::v0 {
namespace {

void print_line(std::ostream& out, size_t width, const ReceiptLine& line, const std::string& where) {
  const double gigabytes = static_cast<double>(line.bytes) * 1e-9;
  out << std::left << std::setw(static_cast<int>(width)) << line.op << std::right << std::setw(10)
      << line.count << std::setw(12) << std::setprecision(3) << line.seconds * 1e3 << std::setw(11)
      << gigabytes << std::setw(9) << std::setprecision(2)
      << (line.seconds > 0 ? gigabytes / line.seconds : 0.0) << "  " << where << '\n';
}

}  // namespace

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

std::string Receipt::to_json() const {
  nlohmann::ordered_json ops = nlohmann::ordered_json::array();
  for (const ReceiptLine& line : lines) {
    ops.push_back({{"op", line.op}, {"count", line.count}, {"seconds", line.seconds}, {"bytes", line.bytes}});
  }
  const nlohmann::ordered_json json = {{"backend", backend},   {"device", device},     {"runs", runs},
                                       {"walked", walked},     {"seconds", seconds()}, {"bytes", bytes()},
                                       {"ops", std::move(ops)}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::ostream& operator<<(std::ostream& out, const Receipt& receipt) {
  size_t width = 5;
  for (const ReceiptLine& line : receipt.lines) width = std::max(width, line.op.size());
  std::ostringstream table;  // leaves the formatting of `out` alone
  table << std::fixed;
  table << std::left << std::setw(static_cast<int>(width)) << "op" << std::right << std::setw(10) << "count"
        << std::setw(12) << "ms" << std::setw(11) << "GB" << std::setw(9) << "GB/s"
        << "  device\n";
  for (const ReceiptLine& line : receipt.lines) print_line(table, width, line, receipt.backend);
  print_line(
      table, width,
      {.op = "total", .count = receipt.count(), .seconds = receipt.seconds(), .bytes = receipt.bytes()},
      receipt.device);
  return out << std::move(table).str();
}

Receipt public_receipt(const linnet::Receipt& receipt) {
  Receipt result{.backend = receipt.backend,
                 .device = receipt.device,
                 .runs = receipt.runs,
                 .walked = receipt.walked,
                 .lines = {}};
  for (const linnet::ReceiptLine& line : receipt.lines) {
    result.lines.push_back(
        {.op = line.op, .count = line.count, .seconds = line.seconds, .bytes = line.bytes});
  }
  return result;
}

}  // namespace linnet::v0
