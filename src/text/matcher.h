// What a text is split at: one character of a kind, a run of them, a fixed text, a regular expression.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "text/encode_work.h"
#include "text/pattern.h"

namespace linnet {

class Matcher {
 public:
  virtual ~Matcher() = default;
  // The leftmost match that begins at or after `from`. `spent` counts the steps of one walk over this text,
  // so that it can be bounded.
  [[nodiscard]] virtual std::optional<TextRange> find(std::string_view text, size_t from,
                                                      uint64_t& spent) const = 0;
};

using CharacterTest = bool (*)(char32_t code) noexcept;

[[nodiscard]] std::unique_ptr<Matcher> match_each(CharacterTest test);
[[nodiscard]] std::unique_ptr<Matcher> match_runs(CharacterTest test);
// \s?[…]+
[[nodiscard]] std::unique_ptr<Matcher> match_runs_with_space(CharacterTest test);
// The word scanner matches everywhere.
[[nodiscard]] std::unique_ptr<Matcher> match_words(size_t (*scan)(std::string_view text, size_t at) noexcept);
// \w+|[^\w\s]+ with Rust's \w.
[[nodiscard]] std::unique_ptr<Matcher> match_words_and_symbols();
[[nodiscard]] std::unique_ptr<Matcher> match_text(std::string text);
// A pattern that is known by hand, or any other in the general matcher. Throws Error(model) for one that is
// not supported.
[[nodiscard]] std::unique_ptr<Matcher> match_pattern(std::string_view source);

// Calls match(range) for the matches and gap(range) for what lies between, from left to right. An empty match
// is told too, but not right after another match.
template <class OnMatch, class OnGap>
void for_each_match(const Matcher& matcher, std::string_view text, EncodeWork& work, const OnMatch& on_match,
                    const OnGap& on_gap) {
  uint64_t spent = 0;
  size_t done = 0;  // everything before was told
  size_t from = 0;
  bool after_match = false;
  while (from <= text.size()) {
    const std::optional<TextRange> found = matcher.find(text, from, spent);
    if (!found) break;
    const bool empty = found->begin == found->end;
    if (!(empty && after_match && found->begin == done)) {
      if (found->begin > done) on_gap(TextRange{done, found->begin});
      on_match(*found);
      done = found->end;
    }
    after_match = true;
    if (!empty) {
      from = found->end;
    } else if (found->end < text.size()) {
      from = found->end + decode(text.substr(found->end)).bytes;
    } else {
      break;
    }
  }
  if (done < text.size()) on_gap(TextRange{done, text.size()});
  work.scanned += spent;
}

}  // namespace linnet
