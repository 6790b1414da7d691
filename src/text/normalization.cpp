#include "text/normalization.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

#include "text/unicode.h"
#include "text/unicode_tables.h"

namespace linnet {
namespace {

using unicode_tables::kCombiningRuns;
using unicode_tables::kCompositions;
using unicode_tables::kDecompositions;

struct IndexEntry {
  uint32_t code;
  uint32_t at;  // of the entry's header in kDecompositions
};

[[nodiscard]] constexpr size_t count_decompositions() {
  size_t count = 0;
  for (size_t at = 0; at < std::size(kDecompositions); at += 1 + (kDecompositions[at] & 31)) ++count;
  return count;
}

[[nodiscard]] constexpr auto index_decompositions() {
  std::array<IndexEntry, count_decompositions()> index{};
  uint32_t code = 0;
  size_t count = 0;
  for (size_t at = 0; at < std::size(kDecompositions); at += 1 + (kDecompositions[at] & 31)) {
    code += kDecompositions[at] >> 6;
    index[count++] = {code, static_cast<uint32_t>(at)};
  }
  return index;
}

constexpr auto kDecompositionIndex = index_decompositions();

struct CombiningRun {
  uint32_t begin, end;
  uint8_t value;
};

[[nodiscard]] constexpr auto unfold_combining_runs() {
  std::array<CombiningRun, std::size(kCombiningRuns) / 2> runs{};
  uint32_t at = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    const uint32_t begin = at + kCombiningRuns[2 * i];
    at = begin + (kCombiningRuns[2 * i + 1] >> 8);
    runs[i] = {begin, at, static_cast<uint8_t>(kCombiningRuns[2 * i + 1] & 255)};
  }
  return runs;
}

constexpr auto kCombining = unfold_combining_runs();

// Hangul syllables are computed (Unicode 14, section 3.12).
constexpr uint32_t kSyllables = 0xAC00, kLeading = 0x1100, kVowels = 0x1161, kTrailing = 0x11A7;
constexpr uint32_t kLeadingCount = 19, kVowelCount = 21, kTrailingCount = 28;
constexpr uint32_t kSyllableCount = kLeadingCount * kVowelCount * kTrailingCount;

[[nodiscard]] uint8_t combining_class(char32_t code) noexcept {
  if (code < 0x300 || !is_in(code, kMark)) return 0;
  const auto after =
      std::upper_bound(kCombining.begin(), kCombining.end(), code,
                       [](char32_t value, const CombiningRun& run) { return value < run.begin; });
  if (after == kCombining.begin()) return 0;
  const CombiningRun& run = *std::prev(after);
  return code < run.end ? run.value : 0;
}

void decompose(char32_t code, bool compatibility, std::vector<char32_t>& into) {
  if (code < 0xA0 || code >= kRawByte) {
    into.push_back(code);
    return;
  }
  if (code - kSyllables < kSyllableCount) {
    const uint32_t index = static_cast<uint32_t>(code) - kSyllables;
    into.push_back(kLeading + index / (kVowelCount * kTrailingCount));
    into.push_back(kVowels + index / kTrailingCount % kVowelCount);
    if (index % kTrailingCount != 0) into.push_back(kTrailing + index % kTrailingCount);
    return;
  }
  const auto found =
      std::lower_bound(kDecompositionIndex.begin(), kDecompositionIndex.end(), code,
                       [](const IndexEntry& entry, char32_t value) { return entry.code < value; });
  const bool known = found != kDecompositionIndex.end() && found->code == code;
  if (!known || ((kDecompositions[found->at] & 32) != 0 && !compatibility)) {
    into.push_back(code);
    return;
  }
  const uint32_t length = kDecompositions[found->at] & 31;
  for (uint32_t i = 1; i <= length; ++i) decompose(kDecompositions[found->at + i], compatibility, into);
}

// Sorts each run of combining marks by class; marks of one class keep their order.
void order_marks(std::vector<char32_t>& codes) {
  for (size_t begin = 0; begin < codes.size();) {
    if (combining_class(codes[begin]) == 0) {
      ++begin;
      continue;
    }
    size_t end = begin + 1;
    while (end < codes.size() && combining_class(codes[end]) != 0) ++end;
    std::stable_sort(codes.begin() + static_cast<std::ptrdiff_t>(begin),
                     codes.begin() + static_cast<std::ptrdiff_t>(end),
                     [](char32_t a, char32_t b) { return combining_class(a) < combining_class(b); });
    begin = end;
  }
}

// What the pair joins to; 0 if it does not.
[[nodiscard]] char32_t composed(char32_t first, char32_t second) noexcept {
  if (first - kLeading < kLeadingCount && second - kVowels < kVowelCount) {
    return kSyllables + ((first - kLeading) * kVowelCount + (second - kVowels)) * kTrailingCount;
  }
  if (first - kSyllables < kSyllableCount && (first - kSyllables) % kTrailingCount == 0 &&
      second - kTrailing - 1 < kTrailingCount - 1) {
    return first + (second - kTrailing);
  }
  size_t low = 0;
  size_t high = std::size(kCompositions) / 3;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const uint32_t* const row = &kCompositions[3 * middle];
    if (row[0] == first && row[1] == second) return row[2];
    (row[0] < first || (row[0] == first && row[1] < second) ? low : high) =
        row[0] < first || (row[0] == first && row[1] < second) ? middle + 1 : middle;
  }
  return 0;
}

// Canonical composition, in place: a mark joins the last starter unless one of its class or higher stands
// between them.
void compose(std::vector<char32_t>& codes) {
  constexpr size_t kNoStarter = SIZE_MAX;
  size_t starter = kNoStarter;
  size_t kept = 0;
  int last_class = -1;  // of what was kept since the starter; -1 if nothing was
  for (const char32_t code : codes) {
    const int own_class = combining_class(code);
    const bool reaches = starter != kNoStarter && last_class < own_class;
    if (const char32_t joined = reaches ? composed(codes[starter], code) : 0; joined != 0) {
      codes[starter] = joined;
      continue;
    }
    if (own_class == 0) {
      starter = kept;
      last_class = -1;
    } else {
      last_class = own_class;
    }
    codes[kept++] = code;
  }
  codes.resize(kept);
}

}  // namespace

std::string normalize(std::string_view text, NormalForm form) {
  const bool compatibility = form == NormalForm::nfkc || form == NormalForm::nfkd;
  const bool composes = form == NormalForm::nfc || form == NormalForm::nfkc;
  const auto ascii = [](char byte) { return static_cast<signed char>(byte) >= 0; };
  std::string result;
  result.reserve(text.size());
  std::vector<char32_t> codes;
  while (!text.empty()) {
    // ASCII is in every form already, but its last character may take marks that follow it.
    const auto other = std::find_if_not(text.begin(), text.end(), ascii);
    const auto plain = static_cast<size_t>(other - text.begin());
    const size_t copied = plain == text.size() || plain == 0 ? plain : plain - 1;
    result += text.substr(0, copied);
    text.remove_prefix(copied);
    if (text.empty()) break;

    const auto after = std::find_if(text.begin() + 1, text.end(), ascii);
    std::string_view stretch = text.substr(0, static_cast<size_t>(after - text.begin()));
    text.remove_prefix(stretch.size());
    codes.clear();
    while (!stretch.empty()) {
      const CodePoint code = decode(stretch);
      decompose(code.value, compatibility, codes);
      stretch.remove_prefix(code.bytes);
    }
    order_marks(codes);
    if (composes) compose(codes);
    for (const char32_t code : codes) append_utf8(code, result);
  }
  return result;
}

}  // namespace linnet
