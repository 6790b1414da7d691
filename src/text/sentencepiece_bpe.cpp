#include "text/sentencepiece_bpe.h"

#include <algorithm>
#include <queue>

#include "base/error.h"
#include "text/utf8.h"

namespace linnet {
namespace {

constexpr std::string_view kEscapedSpace = "\xE2\x96\x81";  // ▁, U+2581
constexpr Token kNoToken = -1;
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
[[nodiscard]] std::vector<Symbol> split(std::string_view text) {
  std::vector<Symbol> symbols;
  symbols.reserve(text.size());
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
  return symbols;
}

// The value of a byte token's text, <0xNN>.
[[nodiscard]] std::optional<uint8_t> byte_value(std::string_view text) {
  if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return std::nullopt;
  unsigned value = 0;
  for (const char digit : text.substr(3, 2)) {
    const bool decimal = digit >= '0' && digit <= '9';
    if (!decimal && !(digit >= 'A' && digit <= 'F')) return std::nullopt;
    value = value * 16 + static_cast<unsigned>(decimal ? digit - '0' : digit - 'A' + 10);
  }
  return static_cast<uint8_t>(value);
}

}  // namespace

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
    if (vocabulary().kind(token) != TokenKind::byte) continue;
    const auto value = byte_value(vocabulary().text(token));
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

std::vector<Token> SentencePieceBpe::encode(std::string_view text, const EncodeOptions& options) const {
  EncodeWork ignored;
  return encode(text, options, ignored);
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
  const TokenKind kind = vocabulary().kind(*token);
  const bool is_text =
      kind == TokenKind::normal || kind == TokenKind::user_defined || kind == TokenKind::unused;
  return is_text ? token : std::nullopt;
}

void SentencePieceBpe::encode_plain(std::string_view text, bool space_before, std::vector<Token>& into,
                                    EncodeWork& work) const {
  std::string escaped(space_before ? kEscapedSpace : "");
  escape_into(text, escaped);
  std::vector<Symbol> symbols = split(escaped);
  const auto text_of = [&](uint32_t begin, uint32_t size) {
    return std::string_view(escaped).substr(begin, size);
  };

  // Every merge removes a symbol and offers at most two new candidates: less than 3n go through the heap.
  std::priority_queue<Candidate, std::vector<Candidate>, Worse> candidates;
  const auto offer = [&](uint32_t left, uint32_t right) {
    if (left == kNone || right == kNone) return;
    const uint32_t size = symbols[left].size + symbols[right].size;
    ++work.lookups;
    const auto token = mergeable(text_of(symbols[left].begin, size));
    if (token) candidates.push({vocabulary().score(*token), left, right, size});
  };
  for (uint32_t i = 1; i < symbols.size(); ++i) offer(i - 1, i);

  while (!candidates.empty()) {
    const Candidate best = candidates.top();
    candidates.pop();
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
      return std::string(1, static_cast<char>(*byte_value(text)));
    case TokenKind::control:
    case TokenKind::unknown:
    case TokenKind::user_defined:
      break;
  }
  return std::string(text);
}

}  // namespace linnet
