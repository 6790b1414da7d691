// SentencePiece's BPE: GGUF has a score for each token where tokenizer.json has ranked merges. Both are the
// same algorithm only if every way to cut a token into two is a merge, and the merges of each token stand
// together, as they do in files that were made from a SentencePiece model; that is checked here.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "base/error.h"
#include "base/quoted.h"
#include "text/gguf_export.h"
#include "text/vocabulary.h"

namespace linnet {
namespace {

constexpr uint32_t kUnranked = std::numeric_limits<uint32_t>::max();
// Cutting a token everywhere costs its length squared; SentencePiece's own limit is far lower.
constexpr size_t kLongestToken = 256;

struct Ranks {
  uint32_t first = kUnranked;
  uint32_t last = 0;
};

[[nodiscard]] bool is_used_text(TokenKind kind) {
  return kind == TokenKind::normal || kind == TokenKind::user_defined;
}

class Scores {
 public:
  Scores(const JsonNode& model, const JsonVocabulary& vocabulary)
      : model_(model), vocabulary_(vocabulary), ranks_(vocabulary.texts.size()) {
    for (size_t i = 0; i < vocabulary.texts.size(); ++i)
      if (vocabulary.parts.kinds[i] != TokenKind::unused) tokens_.emplace(vocabulary.texts[i], i);
    read_ranks();
    for (size_t i = 0; i < ranks_.size(); ++i) check_splits(i);
    check_order();
  }

  // The token of an earlier merge has the higher score; what no merge makes has the lowest.
  [[nodiscard]] std::vector<float> scores(size_t rows) const {
    std::vector<float> result(rows, -static_cast<float>(by_rank_.size()));
    for (size_t place = 0; place < by_rank_.size(); ++place)
      result[by_rank_[place]] = -static_cast<float>(place);
    for (size_t i = 0; i < ranks_.size(); ++i)
      if (!is_used_text(vocabulary_.parts.kinds[i])) result[i] = 0;
    return result;
  }

 private:
  void read_ranks() {
    const JsonNode node = model_["merges"];
    uint32_t rank = 0;
    for (const auto& [left, right] : read_merges(node)) {
      const std::string whole = concat(left, right);
      const auto token = tokens_.find(whole);
      if (token == tokens_.end())
        node.refuse(concat("a merge makes ", quoted_name(whole), ", which is no token"));
      merges_.emplace(key(left, right), rank);
      Ranks& ranks = ranks_[token->second];
      ranks.first = std::min(ranks.first, rank);
      ranks.last = rank++;
    }
  }

  void check_splits(size_t token) const {
    const std::string_view text = vocabulary_.texts[token];
    if (!is_used_text(vocabulary_.parts.kinds[token])) return;
    if (text.size() > kLongestToken)
      model_["vocab"].refuse(
          concat("the token ", quoted_name(text), " has more than ", kLongestToken, " bytes"));
    for (size_t cut = 1; cut < text.size(); ++cut) {
      const std::string_view left = text.substr(0, cut);
      const std::string_view right = text.substr(cut);
      if (!is_text_token(left) || !is_text_token(right) || merges_.contains(key(left, right))) continue;
      model_["merges"].refuse(concat("the token ", quoted_name(text), " is ", quoted_name(left), " and ",
                                     quoted_name(right),
                                     ", but that is no merge: GGUF's scores cannot say so"));
    }
  }

  void check_order() {
    for (size_t i = 0; i < ranks_.size(); ++i)
      if (ranks_[i].first != kUnranked) by_rank_.push_back(i);
    std::sort(by_rank_.begin(), by_rank_.end(),
              [&](size_t a, size_t b) { return ranks_[a].first < ranks_[b].first; });
    for (size_t i = 1; i < by_rank_.size(); ++i) {
      if (ranks_[by_rank_[i - 1]].last < ranks_[by_rank_[i]].first) continue;
      model_["merges"].refuse(concat("those of ", quoted_name(vocabulary_.texts[by_rank_[i - 1]]), " and ",
                                     quoted_name(vocabulary_.texts[by_rank_[i]]),
                                     " are mixed: GGUF's scores cannot say so"));
    }
  }

  [[nodiscard]] bool is_text_token(std::string_view text) const {
    const auto found = tokens_.find(text);
    return found != tokens_.end() && is_used_text(vocabulary_.parts.kinds[found->second]);
  }

  // With the length of the left part, so that no two pairs have one key.
  [[nodiscard]] static std::string key(std::string_view left, std::string_view right) {
    return concat(left.size(), ':', left, right);
  }

  const JsonNode model_;
  const JsonVocabulary& vocabulary_;
  std::unordered_map<std::string_view, size_t> tokens_;
  std::unordered_map<std::string, uint32_t> merges_;
  std::vector<Ranks> ranks_;  // of each token's merges
  std::vector<size_t> by_rank_;
};

// Where a space goes before the text, and that spaces are written as ▁.
enum class Prefix : uint8_t { none, always, first };

[[nodiscard]] bool replaces_spaces(const JsonNode& step) {
  return step["type"].string() == "Replace" && step["pattern"]["String"].string_or("") == " " &&
         step["content"].string() == kEscapedSpace;
}

[[nodiscard]] Prefix read_normalizer_prefix(const JsonNode& normalizer) {
  std::vector<std::string> steps;
  const auto add = [&](const JsonNode& step) {
    const std::string& type = step["type"].string();
    const bool prepends = type == "Prepend" && step["prepend"].string() == kEscapedSpace;
    if (!prepends && !replaces_spaces(step))
      step.refuse(
          concat("GGUF's SentencePiece tokenizers have no normalizer ", quoted_name(type), " like this"));
    steps.emplace_back(prepends ? "prepend" : "replace");
  };
  if (normalizer["type"].string() == "Sequence") {
    normalizer["normalizers"].for_each_element(add);
  } else {
    add(normalizer);
  }
  if (steps == std::vector<std::string>{"prepend", "replace"}) return Prefix::always;
  if (steps == std::vector<std::string>{"replace"}) return Prefix::none;
  normalizer.refuse("expected Prepend and Replace of the space");
}

[[nodiscard]] Prefix read_metaspace_prefix(const JsonNode& step, const JsonVocabulary& vocabulary) {
  const std::string& type = step["type"].string();
  if (type != "Metaspace" || step["replacement"].string_or(kEscapedSpace) != kEscapedSpace)
    step.refuse(
        concat("GGUF's SentencePiece tokenizers have no pre-tokenizer ", quoted_name(type), " like this"));
  if (step["split"].boolean_or(true)) {
    for (size_t i = 0; i < vocabulary.texts.size(); ++i) {
      if (vocabulary.parts.kinds[i] == TokenKind::normal &&
          vocabulary.texts[i].find(kEscapedSpace, 1) != std::string::npos)
        step["split"].refuse(concat("words are cut at spaces, but the token ",
                                    quoted_name(vocabulary.texts[i]),
                                    " goes beyond one: GGUF cannot say so"));
    }
  }
  const std::string scheme =
      step["prepend_scheme"].string_or(step["add_prefix_space"].boolean_or(true) ? "always" : "never");
  if (scheme == "never") return Prefix::none;
  return scheme == "first" ? Prefix::first : Prefix::always;
}

void check_bytes(const JsonNode& model, const JsonVocabulary& vocabulary) {
  if (!model["byte_fallback"].boolean_or(false))
    model["byte_fallback"].refuse("GGUF's SentencePiece tokenizers fall back to bytes");
  size_t bytes = 0;
  for (const TokenKind kind : vocabulary.parts.kinds) bytes += kind == TokenKind::byte ? 1 : 0;
  if (bytes != 256) model["vocab"].refuse(concat("expected tokens for all 256 bytes, got ", bytes));
  if (model["ignore_merges"].boolean_or(false))
    model["ignore_merges"].refuse("GGUF's SentencePiece tokenizers always merge");
}

}  // namespace

void export_sentencepiece(const JsonNode& root, const JsonVocabulary& vocabulary, size_t rows, Metadata& into,
                          std::vector<std::string>& notes) {
  const JsonNode model = root["model"];
  check_bytes(model, vocabulary);
  const JsonNode normalizer = root["normalizer"];
  const JsonNode pre_tokenizer = root["pre_tokenizer"];
  if (normalizer.is_null() == pre_tokenizer.is_null())
    normalizer.refuse("expected a normalizer that writes spaces as ▁, or the pre-tokenizer Metaspace");
  const Prefix prefix = normalizer.is_null() ? read_metaspace_prefix(pre_tokenizer, vocabulary)
                                             : read_normalizer_prefix(normalizer);
  if (prefix == Prefix::first) {
    notes.emplace_back(
        "tokenizer.json puts a space before the first word only; readers of GGUF also put one after special "
        "tokens");
  }
  into.set("tokenizer.ggml.scores", MetadataArray(Scores(model, vocabulary).scores(rows)));
  into.set("tokenizer.ggml.add_space_prefix", prefix != Prefix::none);
}

}  // namespace linnet
