// Byte pair encoding by ranked merges, on bytes (GPT-2 and most models since) or on characters (Llama's
// tokenizer.json). Words longer than a few symbols merge through a heap: n log n, whatever the text.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "text/token_map.h"
#include "text/word_model.h"

namespace linnet {

struct BpeOptions {
  bool byte_level = false;       // the vocabulary is written in GPT-2's byte alphabet; symbols are bytes
  bool byte_fallback = false;    // characters without a token become <0xNN>
  std::optional<Token> unknown;  // for characters without a token; without it they are left out
  bool fuse_unknown = false;     // neighbouring unknown characters are one token
  bool ignore_merges = false;    // a word that is a token is that token, even if no merges lead to it
  // Marks of the vocabulary, not of the text; for models on characters only. A merge takes the prefix of its
  // right side away.
  std::string continuing_prefix;  // before every character of a word but the first
  std::string word_suffix;        // after the last one
};

class Bpe final : public WordModel {
 public:
  using Pair = std::pair<std::string_view, std::string_view>;

  // Merges in order of rank, as the vocabulary writes its tokens. The vocabulary must outlive the model.
  // Throws Error(model) when a merge names or makes what is no token.
  Bpe(const Vocabulary& vocabulary, const std::vector<Pair>& merges, const BpeOptions& options);

  [[nodiscard]] std::string_view name() const noexcept override {
    return options_.byte_level ? "byte-level BPE" : "BPE";
  }
  void encode(std::string_view word, std::vector<Token>& into, EncodeWork& work) const override;

 private:
  struct Symbol;
  enum class Whole : uint8_t { not_tried, merges_make_it, merges_do_not };

  void read_texts(const Vocabulary& vocabulary);
  void read_merges(const Vocabulary& vocabulary, const std::vector<Pair>& merges);
  // The symbols a word begins as.
  void split(std::string_view word, std::vector<Token>& symbols, EncodeWork& work) const;
  void split_characters(std::string_view word, std::vector<Token>& symbols, EncodeWork& work) const;
  // The token of the word if it is one.
  [[nodiscard]] std::optional<Token> whole_token(std::string_view word) const;
  [[nodiscard]] bool append_byte_tokens(std::string_view character, std::vector<Token>& symbols) const;
  // Merges the tokens from `first` on to the end, in place.
  void merge(std::vector<Token>& tokens, size_t first, EncodeWork& work) const;
  void merge_few(std::vector<Token>& tokens, size_t first, EncodeWork& work) const;
  void merge_many(std::vector<Token>& tokens, size_t first, EncodeWork& work) const;
  // True iff the merges make this one token of the word.
  [[nodiscard]] bool makes(std::string_view word, Token token) const;

  BpeOptions options_;
  std::vector<char> decoded_;  // texts of byte-level tokens as bytes
  TokenMap tokens_;            // what is text: bytes or characters
  MergeMap merges_;
  size_t longest_ = 0;
  std::array<Token, 256>
      bytes_;  // byte-level: the token of each byte; else of <0xNN>; -1 where there is none
  // Whether a word that is a token may be taken for it, found out when it first occurs: a cache of one byte
  // per token that makes most words one lookup.
  mutable std::vector<std::atomic<Whole>> whole_;
};

}  // namespace linnet
