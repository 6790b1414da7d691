// Any pattern on any text: refused by name, or it finds what a backtracking matcher finds, within its bounds.
// Pattern and text are separated by the first NUL.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "target.h"
#include "text/pattern.h"
#include "text/slow_tokenizers.h"
#include "text/word_scanner.h"

namespace linnet {
namespace {

void check_scanner(const Pattern& pattern, size_t (*scan)(std::string_view, size_t) noexcept,
                   std::string_view text) {
  uint64_t steps = 0;
  for (size_t at = 0; at < text.size();) {
    const auto match = pattern.find(text, at, steps, UINT64_MAX);
    FUZZ_CHECK(match && match->begin == at);
    FUZZ_CHECK(match->end > at && scan(text, at) == match->end);
    at = match->end;
  }
}

// All matches, one after the other; the backtracking matcher takes part until it gives up.
void check_matches(std::string_view source, std::string_view text) {
  const Pattern pattern(source);
  constexpr uint64_t kMostSlowSteps = 2000;
  test::SlowPattern slow(source, kMostSlowSteps);
  bool compares = text.size() <= 64;
  uint64_t steps = 0;
  for (size_t from = 0; from <= text.size();) {
    const auto match = pattern.find(text, from, steps, Pattern::most_steps(text.size()));
    FUZZ_CHECK(!match || (from <= match->begin && match->begin <= match->end && match->end <= text.size()));
    try {
      const auto expected = compares ? slow.find(text, from) : std::nullopt;
      FUZZ_CHECK(!compares || match.has_value() == expected.has_value());
      FUZZ_CHECK(!expected || (match->begin == expected->first && match->end == expected->second));
    } catch (const test::SlowPattern::GaveUp&) {
      compares = false;
    }
    if (!match) break;
    from = match->end > match->begin  ? match->end
           : match->end < text.size() ? match->end + decode(text.substr(match->end)).bytes
                                      : text.size() + 1;
  }
}

}  // namespace
}  // namespace linnet

void linnet::fuzz::check_input(std::string_view input) {
  const size_t separator = std::min(input.find('\0'), input.size());
  const std::string_view source = input.substr(0, separator);
  const std::string_view text = input.substr(std::min(separator + 1, input.size())).substr(0, 512);
  if (source.empty()) {
    static const Pattern gpt2(kGpt2Pattern), llama3(kLlama3Pattern), qwen2(kQwen2Pattern);
    check_scanner(gpt2, scan_gpt2, text.substr(0, 200));
    check_scanner(llama3, scan_llama3, text.substr(0, 200));
    check_scanner(qwen2, scan_qwen2, text.substr(0, 200));
    return;
  }
  attempt([&] { check_matches(source, text); });
}
