#include "text/sentencepiece_bpe.h"

#include <algorithm>

#include "base/error.h"
#include "base/quoted.h"
#include "base/utf8.h"
#include "text/word_cache.h"
#include "text/word_model.h"

namespace linnet {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

constexpr VocabularyDefaults kDefaults{.bos = 1,
                                       .eos = 2,
                                       .unknown = 0,
                                       .add_bos = true,
                                       .add_eos = false,
                                       .needs_scores = true,
                                       .needs_kinds = true};

// A stretch of the escaped text that is one token so far; a list linked by index.
struct Symbol {
  uint32_t begin;
  uint32_t size;  // 0 once it has been merged into its left neighbour
  uint32_t previous, next;
};

// Joining `left` with its right neighbour would make a token of that score.
struct Candidate {
  float score;
  uint32_t left, right;
  uint32_t size;  // of both together; another size means that one of them has changed since
};

// The best score comes out first and the leftmost of equal ones.
struct Worse {
  [[nodiscard]] bool operator()(const Candidate& a, const Candidate& b) const noexcept {
    return a.score != b.score ? a.score < b.score : a.left > b.left;
  }
};

void escape_into(std::string_view text, std::string& escaped) {
  for (const char character : text) {
    if (character == ' ') {
      escaped += kEscapedSpace;
    } else {
      escaped += character;
    }
  }
}

[[nodiscard]] std::string unescape(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const bool space = text.starts_with(kEscapedSpace);
    result += space ? ' ' : text[0];
    text.remove_prefix(space ? kEscapedSpace.size() : 1);
  }
  return result;
}

// A character each; a byte that belongs to no character stands alone.
void split(std::string_view text, std::vector<Symbol>& symbols) {
  symbols.clear();
  for (size_t at = 0; at < text.size();) {
    const Utf8Character character = first_character(text.substr(at));
    const size_t size = character.state == Utf8State::complete ? character.bytes : 1;
    const auto index = static_cast<uint32_t>(symbols.size());
    symbols.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(size), index - 1, index + 1});
    at += size;
  }
  if (!symbols.empty()) {
    symbols.front().previous = kNone;
    symbols.back().next = kNone;
  }
}

// True iff the text has ▁ after something else.
[[nodiscard]] bool joins_words(std::string_view text) {
  while (text.starts_with(kEscapedSpace)) text.remove_prefix(kEscapedSpace.size());
  return text.find(kEscapedSpace) != std::string_view::npos;
}

// The first word of a text: ▁ as often as it stands there, then everything up to the next ▁.
[[nodiscard]] std::string_view first_word(std::string_view text) {
  size_t begin = 0;
  while (text.substr(begin).starts_with(kEscapedSpace)) begin += kEscapedSpace.size();
  return text.substr(0, text.find(kEscapedSpace, begin));
}

}  // namespace

// Kept from word to word for its memory.
struct SentencePieceBpe::Merging {
  std::vector<Symbol> symbols;
  std::vector<Candidate> heap;
};

SentencePieceBpe::SentencePieceBpe(const Metadata& metadata)
    : Tokenizer(Vocabulary(metadata, kDefaults)),
      add_space_prefix_(metadata.find_bool("tokenizer.ggml.add_space_prefix").value_or(true)),
      always_(vocabulary(), [](TokenKind kind) { return kind == TokenKind::user_defined; }),
      when_parsing_(vocabulary(), [](TokenKind kind) {
        return kind == TokenKind::user_defined || kind == TokenKind::control;
      }) {
  byte_tokens_.fill(kNoToken);
  for (size_t i = 0; i < vocabulary().size(); ++i) {
    const auto token = static_cast<Token>(i);
    if (is_text(vocabulary().kind(token)) && joins_words(vocabulary().text(token))) words_are_apart_ = false;
    if (vocabulary().kind(token) != TokenKind::byte) continue;
    const auto value = byte_token_value(vocabulary().text(token));
    if (!value) {
      fail(ErrorKind::model, "token ", token, " is a byte token but its text is ",
           quoted_name(vocabulary().text(token)), "; expected <0x00> to <0xFF>");
    }
    if (byte_tokens_[*value] == kNoToken) byte_tokens_[*value] = token;
  }
  const bool all_bytes = std::count(byte_tokens_.begin(), byte_tokens_.end(), kNoToken) == 0;
  if (!all_bytes && !unknown()) {
    fail(ErrorKind::model,
         "the vocabulary has neither all 256 byte tokens nor an unknown token: some texts have no tokens");
  }
}

std::vector<Token> SentencePieceBpe::encode(std::string_view text, const EncodeOptions& options,
                                            EncodeWork& work) const {
  // Positions are 32-bit, and escaping makes three bytes of one.
  constexpr size_t kLongestText = UINT32_MAX / 4;
  if (text.size() > kLongestText)
    fail(ErrorKind::usage, "a text of ", text.size(), " bytes is too long to tokenize");
  std::vector<Token> tokens;
  if (options.add_special && vocabulary().add_bos() && bos()) tokens.push_back(*bos());
  const SpecialTokens& special = options.parse_special ? when_parsing_ : always_;
  // A space is put before the text and again after every special token, as the models were trained.
  while (!text.empty()) {
    const SpecialTokens::Fragment fragment = special.next(text);
    if (!fragment.text.empty()) encode_plain(fragment.text, add_space_prefix_, tokens, work);
    if (fragment.token) tokens.push_back(*fragment.token);
  }
  if (options.add_special && vocabulary().add_eos() && eos()) tokens.push_back(*eos());
  return tokens;
}

std::optional<Token> SentencePieceBpe::mergeable(std::string_view symbol) const {
  if (symbol.size() > vocabulary().longest()) return std::nullopt;
  const auto token = vocabulary().find(symbol);
  if (!token) return std::nullopt;
  return is_text(vocabulary().kind(*token)) ? token : std::nullopt;
}

void SentencePieceBpe::encode_plain(std::string_view text, bool space_before, std::vector<Token>& into,
                                    EncodeWork& work) const {
  std::string escaped(space_before ? kEscapedSpace : "");
  escape_into(text, escaped);
  Merging merging;
  WordCache seen(words_are_apart_ ? escaped.size() : 0);
  for (std::string_view rest = escaped; !rest.empty();) {
    const std::string_view word = words_are_apart_ ? first_word(rest) : rest;
    seen.encode(word, into, work, [&] { encode_word(word, merging, into, work); });
    rest.remove_prefix(word.size());
  }
}

void SentencePieceBpe::encode_word(std::string_view word, Merging& merging, std::vector<Token>& into,
                                   EncodeWork& work) const {
  std::vector<Symbol>& symbols = merging.symbols;
  std::vector<Candidate>& heap = merging.heap;
  split(word, symbols);
  heap.clear();
  const auto text_of = [&](uint32_t begin, uint32_t size) { return word.substr(begin, size); };

  // Every merge removes a symbol and offers at most two new candidates: less than 3n go through the heap.
  const auto offer = [&](uint32_t left, uint32_t right) {
    if (left == kNone || right == kNone) return;
    const uint32_t size = symbols[left].size + symbols[right].size;
    ++work.lookups;
    const auto token = mergeable(text_of(symbols[left].begin, size));
    if (!token) return;
    heap.push_back({vocabulary().score(*token), left, right, size});
    std::push_heap(heap.begin(), heap.end(), Worse());
  };
  for (uint32_t i = 1; i < symbols.size(); ++i) offer(i - 1, i);

  while (!heap.empty()) {
    const Candidate best = heap.front();
    std::pop_heap(heap.begin(), heap.end(), Worse());
    heap.pop_back();
    ++work.candidates;
    Symbol& left = symbols[best.left];
    Symbol& right = symbols[best.right];
    if (left.size == 0 || right.size == 0 || left.size + right.size != best.size) continue;
    left.size = best.size;
    left.next = right.next;
    right.size = 0;
    if (left.next != kNone) symbols[left.next].previous = best.left;
    offer(left.previous, best.left);
    offer(best.left, left.next);
  }

  for (uint32_t i = symbols.empty() ? kNone : 0; i != kNone; i = symbols[i].next) {
    const std::string_view symbol = text_of(symbols[i].begin, symbols[i].size);
    if (const auto token = mergeable(symbol)) {
      into.push_back(*token);
    } else {
      append_bytes(symbol, into);
    }
  }
}

void SentencePieceBpe::append_bytes(std::string_view symbol, std::vector<Token>& into) const {
  const auto byte_token = [this](char byte) { return byte_tokens_[static_cast<unsigned char>(byte)]; };
  if (std::any_of(symbol.begin(), symbol.end(), [&](char byte) { return byte_token(byte) == kNoToken; })) {
    into.push_back(*unknown());  // the constructor made sure that there is one
    return;
  }
  for (const char byte : symbol) into.push_back(byte_token(byte));
}

std::string SentencePieceBpe::piece(Token token) const {
  if (!vocabulary().contains(token)) {
    fail(ErrorKind::usage, "token ", token, " is not in the vocabulary of ", size(), " tokens");
  }
  const std::string_view text = vocabulary().text(token);
  switch (vocabulary().kind(token)) {
    case TokenKind::normal:
    case TokenKind::unused:
      return unescape(text);
    case TokenKind::byte:
      return std::string(1, static_cast<char>(*byte_token_value(text)));
    case TokenKind::control:
    case TokenKind::unknown:
    case TokenKind::user_defined:
      break;
  }
  return std::string(text);
}

}  // namespace linnet
