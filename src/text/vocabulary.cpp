#include "text/vocabulary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/quoted.h"

namespace linnet {
namespace {

constexpr std::string_view kTokens = "tokenizer.ggml.tokens";
constexpr std::string_view kScores = "tokenizer.ggml.scores";
constexpr std::string_view kKinds = "tokenizer.ggml.token_type";

// Models whose metadata names only one of several ends: what their templates end a turn with.
constexpr std::array<std::string_view, 8> kEndTexts = {"<|eot_id|>", "<|eom_id|>",    "<|im_end|>",
                                                       "<|end|>",    "<end_of_turn>", "<|endoftext|>",
                                                       "<|eot|>",    "<EOT>"};

[[noreturn]] void fail_needed(std::string_view key) {
  fail(ErrorKind::model, "metadata has no key ", quoted_name(key), ", which this tokenizer needs");
}

}  // namespace

Vocabulary::Vocabulary(const Metadata& metadata, const VocabularyDefaults& defaults) {
  read_texts(metadata);
  read_scores(metadata, defaults.needs_scores);
  read_kinds(metadata, defaults.needs_kinds);
  bos_ = special(metadata, "tokenizer.ggml.bos_token_id", defaults.bos);
  eos_ = special(metadata, "tokenizer.ggml.eos_token_id", defaults.eos);
  unknown_ = special(metadata, "tokenizer.ggml.unknown_token_id", defaults.unknown);
  add_bos_ = metadata.find_bool("tokenizer.ggml.add_bos_token").value_or(defaults.add_bos);
  add_eos_ = metadata.find_bool("tokenizer.ggml.add_eos_token").value_or(defaults.add_eos);
  add_end_of_generation(special(metadata, "tokenizer.ggml.eot_token_id", std::nullopt));
  add_end_of_generation(special(metadata, "tokenizer.ggml.eom_token_id", std::nullopt));
  find_end_of_generation();
}

Vocabulary::Vocabulary(const VocabularyParts& parts)
    : kinds_(parts.kinds),
      bos_(parts.bos),
      eos_(parts.eos),
      unknown_(parts.unknown),
      add_bos_(parts.add_bos),
      add_eos_(parts.add_eos) {
  store_texts(parts.texts);
  for (const Token token : parts.ends) add_end_of_generation(token);
  find_end_of_generation();
}

void Vocabulary::read_texts(const Metadata& metadata) {
  const auto texts = metadata.get_strings(kTokens);
  if (texts.empty()) fail(ErrorKind::model, "metadata key ", quoted_name(kTokens), " lists no tokens");
  if (texts.size() > static_cast<size_t>(std::numeric_limits<Token>::max())) {
    fail(ErrorKind::model, "metadata key ", quoted_name(kTokens), " lists ", texts.size(),
         " tokens, more than ids can name");
  }
  store_texts(texts);
}

void Vocabulary::store_texts(std::span<const std::string_view> texts) {
  size_t total = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].size() > kLongestToken) {
      fail(ErrorKind::model, "token ", i, " of the vocabulary has ", texts[i].size(), " bytes; at most ",
           kLongestToken, " are allowed");
    }
    total += texts[i].size();
    longest_ = std::max(longest_, texts[i].size());
  }
  characters_.reserve(total);  // never grows beyond: the views stay valid
  texts_.reserve(texts.size());
  index_ = TokenMap(texts.size());
  for (const std::string_view text : texts) {
    const char* begin = characters_.data() + characters_.size();
    characters_.insert(characters_.end(), text.begin(), text.end());
    texts_.emplace_back(begin, text.size());
    index_.insert(texts_.back(), static_cast<Token>(texts_.size() - 1));
  }
}

void Vocabulary::read_scores(const Metadata& metadata, bool needed) {
  auto scores = metadata.find_floats(kScores);
  if (!scores) {
    if (needed) fail_needed(kScores);
    return;
  }
  if (scores->size() != size()) {
    fail(ErrorKind::model, "metadata key ", quoted_name(kScores), " has ", scores->size(), " elements for ",
         size(), " tokens");
  }
  const auto not_a_number =
      std::find_if(scores->begin(), scores->end(), [](float score) { return std::isnan(score); });
  if (not_a_number != scores->end()) {
    fail(ErrorKind::model, "metadata key ", quoted_name(kScores), ": the score of token ",
         not_a_number - scores->begin(), " is not a number");
  }
  scores_ = std::move(*scores);
}

void Vocabulary::read_kinds(const Metadata& metadata, bool needed) {
  const auto kinds = metadata.find_integers(kKinds);
  if (!kinds) {
    if (needed) fail_needed(kKinds);
    kinds_.assign(size(), TokenKind::normal);
    return;
  }
  if (kinds->size() != size()) {
    fail(ErrorKind::model, "metadata key ", quoted_name(kKinds), " has ", kinds->size(), " elements for ",
         size(), " tokens");
  }
  kinds_.reserve(size());
  for (size_t i = 0; i < kinds->size(); ++i) {
    const int64_t kind = (*kinds)[i];
    if (kind < 1 || kind > 6)
      fail(ErrorKind::model, "metadata key ", quoted_name(kKinds), ": token ", i, " has the unknown kind ",
           kind);
    kinds_.push_back(static_cast<TokenKind>(kind));
  }
}

std::optional<Token> Vocabulary::special(const Metadata& metadata, std::string_view key,
                                         std::optional<Token> otherwise) const {
  const auto id = metadata.find_u64(key);
  if (!id) {
    const bool usable = otherwise && contains(*otherwise) &&
                        (kind(*otherwise) == TokenKind::control || kind(*otherwise) == TokenKind::unknown);
    return usable ? otherwise : std::nullopt;
  }
  if (*id >= size()) {
    fail(ErrorKind::model, "metadata key ", quoted_name(key), " is ", *id, " but the vocabulary has ", size(),
         " tokens");
  }
  return static_cast<Token>(*id);
}

void Vocabulary::add_end_of_generation(std::optional<Token> token) {
  if (token) end_of_generation_.push_back(*token);
}

void Vocabulary::find_end_of_generation() {
  add_end_of_generation(eos_);
  for (const std::string_view text : kEndTexts) {
    const auto token = find(text);
    if (token && (kind(*token) == TokenKind::control || kind(*token) == TokenKind::user_defined))
      add_end_of_generation(token);
  }
  std::sort(end_of_generation_.begin(), end_of_generation_.end());
  end_of_generation_.erase(std::unique(end_of_generation_.begin(), end_of_generation_.end()),
                           end_of_generation_.end());
}

}  // namespace linnet
