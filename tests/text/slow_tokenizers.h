// Each algorithm as its definition reads, without any care for speed: what the real ones are compared with.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "text/pattern_parser.h"
#include "text/vocabulary.h"

namespace linnet::test {

// BPE: join the pair of the lowest rank, leftmost first, until none is left. So many bytes of a right side
// are a mark that goes.
[[nodiscard]] inline std::vector<std::string> slow_bpe(
    std::vector<std::string> symbols, const std::vector<std::pair<std::string, std::string>>& merges,
    size_t mark = 0) {
  for (;;) {
    std::optional<size_t> best;
    size_t best_rank = merges.size();
    for (size_t i = 0; i + 1 < symbols.size(); ++i) {
      for (size_t rank = 0; rank < best_rank; ++rank) {
        if (merges[rank].first != symbols[i] || merges[rank].second != symbols[i + 1]) continue;
        best = i;
        best_rank = rank;
      }
    }
    if (!best) return symbols;
    symbols[*best] += symbols[*best + 1].substr(mark);
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(*best) + 1);
  }
}

[[nodiscard]] inline std::vector<std::string> characters_of(std::string_view text) {
  std::vector<std::string> characters;
  while (!text.empty()) {
    characters.emplace_back(text.substr(0, decode(text).bytes));
    text.remove_prefix(characters.back().size());
  }
  return characters;
}

// WordPiece: shorten from the right until it is a token. Nothing for a word that cannot be covered.
[[nodiscard]] inline std::vector<std::string> slow_word_piece(std::string_view word,
                                                              const std::vector<std::string>& vocabulary,
                                                              size_t most_characters) {
  if (characters_of(word).size() > most_characters) return {};
  std::vector<std::string> pieces;
  while (!word.empty()) {
    size_t size = word.size();
    for (; size > 0; --size) {
      const std::string piece = (pieces.empty() ? "" : "##") + std::string(word.substr(0, size));
      if (std::find(vocabulary.begin(), vocabulary.end(), piece) == vocabulary.end()) continue;
      pieces.push_back(piece);
      break;
    }
    if (size == 0) return {};
    word.remove_prefix(size);
  }
  return pieces;
}

// Unigram: the best score of any way to cut a text, by trying them all.
[[nodiscard]] inline double slow_unigram_score(std::string_view text,
                                               const std::map<std::string, double>& scores,
                                               double unknown_score) {
  if (text.empty()) return 0;
  double best = -std::numeric_limits<double>::infinity();
  const size_t character = decode(text).bytes;
  for (size_t size = 1; size <= text.size(); ++size) {
    const auto found = scores.find(std::string(text.substr(0, size)));
    if (found == scores.end() && size != character) continue;
    const double own = found == scores.end() ? unknown_score : found->second;
    best = std::max(best, own + slow_unigram_score(text.substr(size), scores, unknown_score));
  }
  return best;
}

// A pattern by backtracking, as Perl and Oniguruma do it: all ends of a match at one place, the preferred
// first.
class SlowPattern {
 public:
  struct GaveUp {};

  // Nested repetitions take exponential time: find() throws GaveUp after so many steps of this object.
  explicit SlowPattern(std::string_view source, uint64_t most_steps = UINT64_MAX)
      : root_(parse_pattern(source)), steps_left_(most_steps) {}

  [[nodiscard]] std::optional<std::pair<size_t, size_t>> find(std::string_view text, size_t from) {
    for (size_t begin = from; begin <= text.size();
         begin += begin < text.size() ? decode(text.substr(begin)).bytes : 1) {
      const std::vector<size_t> ends = ends_of(root_, text, begin);
      if (!ends.empty()) return std::pair(begin, ends.front());
    }
    return std::nullopt;
  }

 private:
  using Kind = PatternNode::Kind;

  [[nodiscard]] std::vector<size_t> ends_of(const PatternNode& node, std::string_view text, size_t at) {
    if (steps_left_-- == 0) throw GaveUp();
    const bool at_end = at == text.size();
    const auto next_in = [&] { return !at_end && node.set.contains(decode(text.substr(at)).value); };
    const auto if_holds = [&](bool holds) { return holds ? only(at) : std::vector<size_t>{}; };
    switch (node.kind) {
      case Kind::set:
        return next_in() ? only(at + decode(text.substr(at)).bytes) : std::vector<size_t>{};
      case Kind::next_is:
        return if_holds(next_in());
      case Kind::next_is_not:
        return if_holds(!next_in());
      case Kind::line_begin:
        return if_holds(at == 0 || (!at_end && text[at - 1] == '\n'));
      case Kind::line_end:
        return if_holds(at_end || text[at] == '\n');
      case Kind::sequence:
        return sequence(node, 0, text, at);
      case Kind::choice: {
        std::vector<size_t> ends;
        for (const PatternNode& child : node.children) append(ends, ends_of(child, text, at));
        return ends;
      }
      case Kind::repeat:
        return repeat(node, 0, text, at);
    }
    return {};
  }

  [[nodiscard]] static std::vector<size_t> only(size_t end) { return std::vector<size_t>(1, end); }

  static void append(std::vector<size_t>& into, const std::vector<size_t>& more) {
    for (const size_t end : more)
      if (std::find(into.begin(), into.end(), end) == into.end()) into.push_back(end);
  }

  [[nodiscard]] std::vector<size_t> sequence(const PatternNode& node, size_t index, std::string_view text,
                                             size_t at) {
    if (index == node.children.size()) return only(at);
    std::vector<size_t> ends;
    for (const size_t middle : ends_of(node.children[index], text, at))
      append(ends, sequence(node, index + 1, text, middle));
    return ends;
  }

  [[nodiscard]] std::vector<size_t> repeat(const PatternNode& node, uint32_t count, std::string_view text,
                                           size_t at) {
    std::vector<size_t> more;
    if (count < node.most) {
      for (const size_t middle : ends_of(node.children.front(), text, at))
        append(more, repeat(node, count + 1, text, middle));
    }
    std::vector<size_t> ends;
    const bool enough = count >= node.least;
    if (enough && node.lazy) ends.push_back(at);
    append(ends, more);
    if (enough && !node.lazy) append(ends, only(at));
    if (node.possessive && count == 0 && ends.size() > 1) ends.erase(ends.begin() + 1, ends.end());
    return ends;
  }

  PatternNode root_;
  uint64_t steps_left_;
};

}  // namespace linnet::test
