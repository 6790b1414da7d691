// What is done to a text before it is cut into words: Unicode forms, case, accents, replacements. A sequence
// of steps.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/charsmap.h"
#include "text/matcher.h"
#include "text/normalization.h"

namespace linnet {

class NormalizerStep {
 public:
  virtual ~NormalizerStep() = default;
  [[nodiscard]] virtual std::string apply(std::string_view text, EncodeWork& work) const = 0;
};

class Normalizer {
 public:
  void add(std::unique_ptr<NormalizerStep> step) { steps_.push_back(std::move(step)); }
  [[nodiscard]] bool empty() const noexcept { return steps_.empty(); }
  [[nodiscard]] std::string apply(std::string_view text, EncodeWork& work) const;

 private:
  std::vector<std::unique_ptr<NormalizerStep>> steps_;
};

struct BertNormalization {
  bool clean_text = true;            // control characters go, white space becomes a space
  bool handle_chinese_chars = true;  // spaces around each
  bool strip_accents = true;
  bool lowercase = true;
};

[[nodiscard]] std::unique_ptr<NormalizerStep> to_form(NormalForm form);
[[nodiscard]] std::unique_ptr<NormalizerStep> to_lower_case();
[[nodiscard]] std::unique_ptr<NormalizerStep> strip_spaces(bool left, bool right);
[[nodiscard]] std::unique_ptr<NormalizerStep> strip_marks();
// SentencePiece's nmt rules: control characters go, what looks like a space becomes one.
[[nodiscard]] std::unique_ptr<NormalizerStep> normalize_as_nmt();
[[nodiscard]] std::unique_ptr<NormalizerStep> replace_matches(std::unique_ptr<Matcher> matcher,
                                                              std::string content);
// Nothing is put before an empty text.
[[nodiscard]] std::unique_ptr<NormalizerStep> prepend(std::string prefix);
// Each byte as its character of GPT-2's alphabet.
[[nodiscard]] std::unique_ptr<NormalizerStep> write_in_byte_alphabet();
[[nodiscard]] std::unique_ptr<NormalizerStep> normalize_as_bert(const BertNormalization& options);
[[nodiscard]] std::unique_ptr<NormalizerStep> apply_charsmap(Charsmap charsmap, bool by_grapheme);
// Runs of spaces become one, those at both ends go.
[[nodiscard]] std::unique_ptr<NormalizerStep> remove_extra_spaces();

}  // namespace linnet
