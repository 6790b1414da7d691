// The tokens of a model: text, score and kind of each, the special ones, and what metadata says about adding
// them. Common to all kinds of tokenizer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "files/metadata.h"
#include "text/token_map.h"

namespace linnet {

// Numbered as in tokenizer.ggml.token_type.
enum class TokenKind : uint8_t {
  normal = 1,
  unknown = 2,
  control = 3,
  user_defined = 4,
  unused = 5,
  byte = 6
};
// Neither the unknown token nor one that stands for something else than its text.
[[nodiscard]] constexpr bool is_text(TokenKind kind) noexcept {
  return kind == TokenKind::normal || kind == TokenKind::user_defined || kind == TokenKind::unused;
}

inline constexpr std::string_view kEscapedSpace = "\xE2\x96\x81";  // ▁, U+2581: how some write a space

// What holds when the metadata does not say, and what it must say; differs between kinds of tokenizer.
struct VocabularyDefaults {
  std::optional<Token> bos, eos, unknown;  // taken only where that token is no text
  bool add_bos = false;
  bool add_eos = false;
  bool needs_scores = false;
  bool needs_kinds = false;
};

// A vocabulary from anywhere else than metadata. Scores may be empty; ids must be in range.
struct VocabularyParts {
  std::vector<std::string_view> texts;
  std::vector<TokenKind> kinds;  // as many as texts
  std::optional<Token> bos, eos, unknown;
  bool add_bos = false;
  bool add_eos = false;
  std::vector<Token> ends;  // of a generation, besides EOS and what is known by its text
};

class Vocabulary {
 public:
  // Copies the texts. Throws Error(model) when sizes disagree, a kind or an id is out of range, a token is
  // longer than kLongestToken.
  Vocabulary(const Metadata& metadata, const VocabularyDefaults& defaults);
  explicit Vocabulary(const VocabularyParts& parts);

  [[nodiscard]] size_t size() const noexcept { return texts_.size(); }
  [[nodiscard]] bool contains(Token token) const noexcept {
    return token >= 0 && static_cast<size_t>(token) < texts_.size();
  }
  // As stored: spaces are still ▁ where the kind of tokenizer writes them so. The token must be contained.
  [[nodiscard]] std::string_view text(Token token) const noexcept {
    return texts_[static_cast<size_t>(token)];
  }
  [[nodiscard]] TokenKind kind(Token token) const noexcept { return kinds_[static_cast<size_t>(token)]; }
  [[nodiscard]] float score(Token token) const noexcept {
    return scores_.empty() ? 0.0f : scores_[static_cast<size_t>(token)];
  }
  // The token with that stored text, of whatever kind; the first one if several have it.
  [[nodiscard]] std::optional<Token> find(std::string_view text) const { return index_.find(text); }
  [[nodiscard]] size_t longest() const noexcept { return longest_; }  // bytes of the longest text

  [[nodiscard]] std::optional<Token> bos() const noexcept { return bos_; }
  [[nodiscard]] std::optional<Token> eos() const noexcept { return eos_; }
  [[nodiscard]] std::optional<Token> unknown() const noexcept { return unknown_; }
  [[nodiscard]] bool add_bos() const noexcept { return add_bos_; }
  [[nodiscard]] bool add_eos() const noexcept { return add_eos_; }
  [[nodiscard]] const std::vector<Token>& end_of_generation() const noexcept { return end_of_generation_; }

  // Bounds the work of matching at one position of a text; the longest token of a known model has 256 bytes.
  static constexpr size_t kLongestToken = 1024;

 private:
  void read_texts(const Metadata& metadata);
  void store_texts(std::span<const std::string_view> texts);
  void read_scores(const Metadata& metadata, bool needed);
  void read_kinds(const Metadata& metadata, bool needed);
  [[nodiscard]] std::optional<Token> special(const Metadata& metadata, std::string_view key,
                                             std::optional<Token> otherwise) const;
  void add_end_of_generation(std::optional<Token> token);
  void find_end_of_generation();

  std::vector<char> characters_;  // of all texts; a vector, so that views survive a move
  std::vector<std::string_view> texts_;
  std::vector<float> scores_;
  std::vector<TokenKind> kinds_;
  TokenMap index_{0};
  size_t longest_ = 0;
  std::optional<Token> bos_, eos_, unknown_;
  bool add_bos_ = false;
  bool add_eos_ = false;
  std::vector<Token> end_of_generation_;
};

}  // namespace linnet
