#include "text/bpe.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "base/error.h"
#include "base/quoted.h"
#include "base/utf8.h"
#include "files/metadata.h"
#include "text/byte_alphabet.h"

namespace linnet {
namespace {

constexpr uint32_t kNoSymbol = UINT32_MAX;
constexpr uint32_t kNoRank = UINT32_MAX;
// Up to here it is quicker to look for the best pair again after each merge than to keep a heap: 64 symbols
// cost at most 2,016 comparisons, of words that long there are few.
constexpr size_t kFewSymbols = 64;

}  // namespace

Bpe::Bpe(const Vocabulary& vocabulary, const std::vector<Pair>& merges, const BpeOptions& options)
    : options_(options), tokens_(vocabulary.size()), merges_(merges.size()), whole_(vocabulary.size()) {
  bytes_.fill(kNoToken);
  read_texts(vocabulary);
  read_merges(vocabulary, merges);
}

void Bpe::read_texts(const Vocabulary& vocabulary) {
  size_t total = 0;
  for (size_t i = 0; i < vocabulary.size(); ++i) total += vocabulary.text(static_cast<Token>(i)).size();
  decoded_.reserve(options_.byte_level ? total : 0);  // never grows beyond: bytes are fewer than characters'
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const auto token = static_cast<Token>(i);
    std::string_view text = vocabulary.text(token);
    if (!options_.byte_level && options_.byte_fallback) {
      const auto value = byte_token_value(text);
      if (value && bytes_[*value] == kNoToken) bytes_[*value] = token;
    }
    if (!is_text(vocabulary.kind(token)) || text.empty()) continue;
    if (options_.byte_level) {
      const auto bytes = from_byte_alphabet(text);
      if (!bytes) continue;  // an added token in plain characters: no merges lead to it
      const char* begin = decoded_.data() + decoded_.size();
      decoded_.insert(decoded_.end(), bytes->begin(), bytes->end());
      text = {begin, bytes->size()};
      auto& of_byte = bytes_[static_cast<unsigned char>(text[0])];
      if (text.size() == 1 && of_byte == kNoToken) of_byte = token;
    }
    tokens_.insert(text, token);
    longest_ = std::max(longest_, text.size());
  }
}

void Bpe::read_merges(const Vocabulary& vocabulary, const std::vector<Pair>& merges) {
  if (merges.size() >= kNoRank) fail(ErrorKind::model, "the vocabulary has too many merges");
  const auto token_of = [&](std::string_view text, size_t rank) {
    const auto token = vocabulary.find(text);
    if (!token) {
      fail(ErrorKind::model, "merge ", rank, " of the vocabulary needs ", quoted_name(text),
           ", which is no token");
    }
    return *token;
  };
  std::string joined;
  for (size_t rank = 0; rank < merges.size(); ++rank) {
    const auto& [left, right] = merges[rank];
    const Token left_token = token_of(left, rank);
    const Token right_token = token_of(right, rank);
    if (!right.starts_with(options_.continuing_prefix)) {
      fail(ErrorKind::model, "merge ", rank, " of the vocabulary: ", quoted_name(right),
           " does not begin with ", quoted_name(options_.continuing_prefix));
    }
    joined.assign(left).append(right.substr(options_.continuing_prefix.size()));
    merges_.insert(left_token, right_token, {static_cast<uint32_t>(rank), token_of(joined, rank)});
  }
}

void Bpe::encode(std::string_view word, std::vector<Token>& into, EncodeWork& work) const {
  if (word.size() > std::numeric_limits<uint32_t>::max() / 2)
    fail(ErrorKind::usage, "a word of ", word.size(), " bytes is too long to tokenize");
  if (word.size() <= longest_) {
    ++work.lookups;
    if (const auto token = whole_token(word)) {
      into.push_back(*token);
      return;
    }
  }
  const size_t first = into.size();
  split(word, into, work);
  merge(into, first, work);
}

std::optional<Token> Bpe::whole_token(std::string_view word) const {
  if (options_.ignore_merges) {
    if (const auto token = tokens_.find(word)) return token;
  }
  const auto token = options_.word_suffix.empty() ? tokens_.find(word)
                                                  : tokens_.find(std::string(word) + options_.word_suffix);
  return token && makes(word, *token) ? token : std::nullopt;
}

bool Bpe::makes(std::string_view word, Token token) const {
  std::atomic<Whole>& known = whole_[static_cast<size_t>(token)];
  Whole answer = known.load(std::memory_order_relaxed);
  if (answer == Whole::not_tried) {
    EncodeWork ignored;  // once per token, however long the text
    std::vector<Token> symbols;
    split(word, symbols, ignored);
    merge(symbols, 0, ignored);
    answer = symbols.size() == 1 && symbols[0] == token ? Whole::merges_make_it : Whole::merges_do_not;
    known.store(answer, std::memory_order_relaxed);
  }
  return answer == Whole::merges_make_it;
}

void Bpe::split(std::string_view word, std::vector<Token>& symbols, EncodeWork& work) const {
  if (!options_.byte_level) {
    split_characters(word, symbols, work);
    return;
  }
  work.lookups += word.size();
  bool after_unknown = false;
  for (const char character : word) {
    const Token token = bytes_[static_cast<unsigned char>(character)];
    if (token != kNoToken) {
      symbols.push_back(token);
    } else if (options_.unknown && !(options_.fuse_unknown && after_unknown)) {
      symbols.push_back(*options_.unknown);
    }
    after_unknown = token == kNoToken;
  }
}

// An unknown character waits for the next known one, as in Hugging Face's library: the bytes of a character
// between them come first.
void Bpe::split_characters(std::string_view word, std::vector<Token>& symbols, EncodeWork& work) const {
  const bool has_marks = !options_.continuing_prefix.empty() || !options_.word_suffix.empty();
  std::string marked;
  bool unknown_waits = false;
  for (bool is_first = true; !word.empty(); is_first = false) {
    std::string_view character = word.substr(0, decode(word).bytes);
    word.remove_prefix(character.size());
    if (has_marks) {
      marked.assign(is_first ? std::string_view() : options_.continuing_prefix).append(character);
      if (word.empty()) marked.append(options_.word_suffix);
      character = marked;
    }
    ++work.lookups;
    if (const auto token = tokens_.find(character)) {
      if (unknown_waits) symbols.push_back(*options_.unknown);
      unknown_waits = false;
      symbols.push_back(*token);
    } else if (!(options_.byte_fallback && append_byte_tokens(character, symbols)) && options_.unknown) {
      if (unknown_waits && !options_.fuse_unknown) symbols.push_back(*options_.unknown);
      unknown_waits = true;
    }
  }
  if (unknown_waits) symbols.push_back(*options_.unknown);
}

bool Bpe::append_byte_tokens(std::string_view character, std::vector<Token>& symbols) const {
  const auto token_of = [this](char byte) { return bytes_[static_cast<unsigned char>(byte)]; };
  if (std::any_of(character.begin(), character.end(), [&](char byte) { return token_of(byte) == kNoToken; }))
    return false;
  for (const char byte : character) symbols.push_back(token_of(byte));
  return true;
}

void Bpe::merge(std::vector<Token>& tokens, size_t first, EncodeWork& work) const {
  const size_t count = tokens.size() - first;
  if (count < 2) return;
  if (count <= kFewSymbols) {
    merge_few(tokens, first, work);
  } else {
    merge_many(tokens, first, work);
  }
}

void Bpe::merge_few(std::vector<Token>& tokens, size_t first, EncodeWork& work) const {
  Token* const symbols = tokens.data() + first;
  size_t count = tokens.size() - first;
  std::array<uint32_t, kFewSymbols> ranks;  // of each symbol with its right neighbour
  std::array<Token, kFewSymbols> results;
  const auto look_up = [&](size_t i) {
    ++work.lookups;
    const Merge* found = merges_.find(symbols[i], symbols[i + 1]);
    ranks[i] = found ? found->rank : kNoRank;
    results[i] = found ? found->result : kNoToken;
  };
  for (size_t i = 0; i + 1 < count; ++i) look_up(i);
  while (count > 1) {
    work.candidates += count;
    size_t best = 0;
    for (size_t i = 1; i + 1 < count; ++i)
      if (ranks[i] < ranks[best]) best = i;
    if (ranks[best] == kNoRank) break;
    symbols[best] = results[best];
    for (size_t i = best + 1; i + 1 < count; ++i) {
      symbols[i] = symbols[i + 1];
      ranks[i] = ranks[i + 1];
      results[i] = results[i + 1];
    }
    --count;
    if (best + 1 < count) look_up(best);
    if (best > 0) look_up(best - 1);
  }
  tokens.resize(first + count);
}

// One token so far; a list linked by index.
struct Bpe::Symbol {
  Token token;  // kNoToken once it has been merged into its left neighbour
  uint32_t previous, next;
};

void Bpe::merge_many(std::vector<Token>& tokens, size_t first, EncodeWork& work) const {
  const auto count = static_cast<uint32_t>(tokens.size() - first);
  std::vector<Symbol> symbols(count);
  for (uint32_t i = 0; i < count; ++i)
    symbols[i] = {tokens[first + i], i == 0 ? kNoSymbol : i - 1, i + 1 == count ? kNoSymbol : i + 1};

  // rank << 32 | index of the left symbol: the lowest rank first, the leftmost of equal ones. A pair that has
  // changed since has another rank or none: symbols only grow, so a pair of tokens does not come back.
  std::vector<uint64_t> initial;
  const auto candidate = [&](uint32_t left) -> std::optional<uint64_t> {
    if (left == kNoSymbol || symbols[left].next == kNoSymbol) return std::nullopt;
    ++work.lookups;
    const Merge* found = merges_.find(symbols[left].token, symbols[symbols[left].next].token);
    if (!found) return std::nullopt;
    return static_cast<uint64_t>(found->rank) << 32 | left;
  };
  for (uint32_t i = 0; i + 1 < count; ++i)
    if (const auto found = candidate(i)) initial.push_back(*found);
  std::priority_queue candidates(std::greater<>(), std::move(initial));

  while (!candidates.empty()) {
    const uint64_t best = candidates.top();
    candidates.pop();
    ++work.candidates;
    const auto at = static_cast<uint32_t>(best);
    Symbol& left = symbols[at];
    if (left.token == kNoToken || left.next == kNoSymbol) continue;
    Symbol& right = symbols[left.next];
    const Merge* found = merges_.find(left.token, right.token);
    if (!found || found->rank != best >> 32) continue;
    left.token = found->result;
    right.token = kNoToken;
    left.next = right.next;
    if (left.next != kNoSymbol) symbols[left.next].previous = at;
    for (const uint32_t changed : {left.previous, at})
      if (const auto next = candidate(changed)) candidates.push(*next);
  }
  tokens.resize(first);
  for (uint32_t i = 0; i != kNoSymbol; i = symbols[i].next) tokens.push_back(symbols[i].token);
}

}  // namespace linnet
