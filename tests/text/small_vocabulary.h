// A small SentencePiece vocabulary as metadata: <unk>, <s>, </s>, all byte tokens, then what a test adds.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "files/metadata.h"
#include "text/vocabulary.h"

namespace linnet::test {

class SmallVocabulary {
 public:
  SmallVocabulary() {
    add("<unk>", 0.0f, TokenKind::unknown);
    add("<s>", 0.0f, TokenKind::control);
    add("</s>", 0.0f, TokenKind::control);
    for (int byte = 0; byte < 256; ++byte) {
      char text[8];
      std::snprintf(text, sizeof text, "<0x%02X>", static_cast<unsigned>(byte));
      add(text, 0.0f, TokenKind::byte);
    }
  }

  Token add(std::string text, float score, TokenKind kind = TokenKind::normal) {
    texts_.push_back(std::move(text));
    scores_.push_back(score);
    kinds_.push_back(static_cast<int32_t>(kind));
    return static_cast<Token>(texts_.size() - 1);
  }

  [[nodiscard]] static Token byte(unsigned value) { return static_cast<Token>(3 + value); }

  [[nodiscard]] Metadata metadata() const {
    Metadata metadata;
    metadata.set("tokenizer.ggml.model", std::string("llama"));
    metadata.set("tokenizer.ggml.tokens", MetadataArray(StringArray(texts_)));
    metadata.set("tokenizer.ggml.scores", MetadataArray(scores_));
    metadata.set("tokenizer.ggml.token_type", MetadataArray(kinds_));
    return metadata;
  }

 private:
  std::vector<std::string> texts_;
  std::vector<float> scores_;
  std::vector<int32_t> kinds_;
};

// Words, pieces of words, two-byte and four-byte characters, a user-defined token and a control token.
[[nodiscard]] inline SmallVocabulary english_vocabulary() {
  SmallVocabulary vocabulary;
  float score = -1.0f;
  for (const char* text : {"▁t", "he", "▁the", "or", "▁a", "▁▁", "▁▁▁▁", "ll", "▁he", "▁hell", "▁hello",
                           "wor", "ld", "aa", "aaaa"}) {
    vocabulary.add(text, score);
    score -= 1.0f;
  }
  for (const char* text :
       {"▁", "a", "b", "d", "e", "h", "i", "l", "n", "o", "r", "t", "w", "ä", "🦙", "\n"}) {
    vocabulary.add(text, score);
    score -= 1.0f;
  }
  vocabulary.add("<tool>", 0.0f, TokenKind::user_defined);
  vocabulary.add("<|end|>", 0.0f, TokenKind::control);
  return vocabulary;
}

}  // namespace linnet::test
