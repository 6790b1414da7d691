#include "text/word_piece.h"

#include "base/utf8.h"

namespace linnet {
namespace {

// True iff the text has more than `most` characters; looks no further than needed.
[[nodiscard]] bool longer_than(std::string_view text, size_t most) {
  if (text.size() <= most) return false;
  for (size_t count = 0; !text.empty(); ++count) {
    if (count == most) return true;
    text.remove_prefix(decode(text).bytes);
  }
  return false;
}

}  // namespace

void WordPiece::encode(std::string_view word, std::vector<Token>& into, EncodeWork& work) const {
  if (longer_than(word, options_.most_characters)) {
    into.push_back(options_.unknown);
    return;
  }
  const size_t first = into.size();
  for (size_t begin = 0; begin < word.size();) {
    const Trie& trie = begin == 0 ? beginnings_ : continuations_;
    Token longest = kNoToken;
    size_t end = begin;
    Trie::Node node = Trie::kRoot;
    for (size_t at = begin; at < word.size();) {
      ++work.scanned;
      node = trie.child(node, static_cast<unsigned char>(word[at++]));
      if (node == Trie::kNone) break;
      if (trie.token(node) != kNoToken) {
        longest = trie.token(node);
        end = at;
      }
    }
    if (longest == kNoToken) {
      into.resize(first);
      into.push_back(options_.unknown);
      return;
    }
    into.push_back(longest);
    begin = end;
  }
}

std::unique_ptr<WordModel> make_word_piece_model(const Vocabulary& vocabulary, std::string_view prefix,
                                                 const WordPieceOptions& options) {
  Trie beginnings;
  Trie continuations;
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const auto token = static_cast<Token>(i);
    const std::string_view text = vocabulary.text(token);
    const TokenKind kind = vocabulary.kind(token);
    if (kind == TokenKind::control || kind == TokenKind::unknown) continue;
    beginnings.insert(text, token);  // a word may well begin with the prefix
    if (text.starts_with(prefix)) continuations.insert(text.substr(prefix.size()), token);
  }
  return std::make_unique<WordPiece>(std::move(beginnings), std::move(continuations), options);
}

}  // namespace linnet
