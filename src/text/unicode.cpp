#include "text/unicode.h"

#include <algorithm>
#include <iterator>

#include "text/unicode_tables.h"

namespace linnet {
namespace {

using unicode_tables::kCategoryRuns;
using unicode_tables::kLowercaseRuns;

[[nodiscard]] constexpr std::array<uint8_t, 0x10000> unfold_low_categories() {
  std::array<uint8_t, 0x10000> result{};
  uint8_t* const cells = result.data();
  uint32_t at = 0;
  for (const uint32_t run : kCategoryRuns) {
    for (const uint32_t end = at + (run >> 5); at < end && at < 0x10000; ++at)
      cells[at] = static_cast<uint8_t>(run & 31);
    if (at >= 0x10000) break;
  }
  return result;
}

constexpr size_t kRuns = std::size(kCategoryRuns);

// Where each run of categories begins.
[[nodiscard]] constexpr std::array<uint32_t, kRuns> run_starts() {
  std::array<uint32_t, kRuns> starts{};
  uint32_t at = 0;
  for (size_t i = 0; i < kRuns; ++i) {
    starts[i] = at;
    at += kCategoryRuns[i] >> 5;
  }
  return starts;
}

constexpr std::array<uint32_t, kRuns> kRunStarts = run_starts();

struct LowercaseRun {
  uint32_t first, count_and_stride, lower;
};
static_assert(sizeof kLowercaseRuns % sizeof(LowercaseRun) == 0);
constexpr size_t kLowercaseRunCount = std::size(kLowercaseRuns) / 3;

constexpr char32_t kCapitalIWithDot = 0x130;

}  // namespace

constexpr std::array<uint8_t, 0x10000> kLowCategories = unfold_low_categories();

Category high_category(char32_t code) noexcept {
  if (code >= kRawByte) return Category::so;
  const auto after = std::upper_bound(kRunStarts.begin(), kRunStarts.end(), static_cast<uint32_t>(code));
  return static_cast<Category>(kCategoryRuns[static_cast<size_t>(after - kRunStarts.begin()) - 1] & 31);
}

char32_t lowercase(char32_t code) noexcept {
  if (code < 0x80) return code >= 'A' && code <= 'Z' ? code + 32 : code;
  size_t low = 0;
  size_t high = kLowercaseRunCount;
  while (low < high) {  // the first run that begins after code
    const size_t middle = (low + high) / 2;
    (kLowercaseRuns[3 * middle] <= code ? low : high) =
        kLowercaseRuns[3 * middle] <= code ? middle + 1 : middle;
  }
  // Runs with a stride of two may enclose another one; two back are enough (tested against every code point).
  for (size_t back = 1; back <= 2 && back <= low; ++back) {
    const uint32_t* const run = &kLowercaseRuns[3 * (low - back)];
    const uint32_t distance = static_cast<uint32_t>(code) - run[0];
    const uint32_t stride = run[1] & 3;
    if (distance % stride == 0 && distance / stride < run[1] >> 2) return run[2] + distance;
  }
  return code;
}

std::string to_lowercase(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const CodePoint code = decode(text);
    append_utf8(code.value == kCapitalIWithDot ? 'i' : lowercase(code.value), result);
    if (code.value == kCapitalIWithDot) result += "\xCC\x87";  // U+0307, the dot
    text.remove_prefix(code.bytes);
  }
  return result;
}

}  // namespace linnet
