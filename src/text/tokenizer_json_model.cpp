// The "model" and "added_tokens" of tokenizer.json: vocabulary and algorithm.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/quoted.h"
#include "files/metadata.h"
#include "text/tokenizer_json.h"
#include "text/unigram.h"
#include "text/word_level.h"
#include "text/word_piece.h"

namespace linnet {
namespace {

constexpr int64_t kMostTokens = int64_t{1} << 24;

class VocabularyReader {
 public:
  explicit VocabularyReader(JsonVocabulary& into) : into_(into) {}

  void read_ids(const JsonNode& vocab) {
    if (!vocab.is_object()) vocab.refuse("expected an object of token ids");
    room_ = room_ + 2 * vocab.size();
    vocab.for_each_member(
        [&](const std::string& text, const JsonNode& id) { put(id.integer(0, kMostTokens), text, id); });
  }

  void read_scores(const JsonNode& vocab) {
    if (!vocab.is_array()) vocab.refuse("expected an array of tokens with their scores");
    room_ = room_ + 2 * vocab.size();
    int64_t id = 0;
    vocab.for_each_element([&](const JsonNode& row) {
      std::string text;
      double score = 0;
      size_t column = 0;
      row.for_each_element([&](const JsonNode& cell) {
        if (column == 0) text = cell.string();
        if (column == 1) score = cell.number();
        ++column;
      });
      if (column != 2 || !std::isfinite(score)) row.refuse("expected [\"token\", score]");
      put(id++, text, row);
      into_.scores.push_back(score);
    });
  }

  void read_added(const JsonNode& added) {
    if (added.is_null()) return;
    room_ = room_ + 2 * added.size();
    added.for_each_element([&](const JsonNode& node) {
      AddedToken token;
      token.text = node["content"].string();
      const int64_t id = node["id"].integer(0, kMostTokens);
      token.token = static_cast<Token>(id);
      token.special = node["special"].boolean_or(false);
      token.single_word = node["single_word"].boolean_or(false);
      token.lstrip = node["lstrip"].boolean_or(false);
      token.rstrip = node["rstrip"].boolean_or(false);
      token.normalized = node["normalized"].boolean_or(!token.special);
      if (token.text.empty()) return;
      put(id, token.text, node);
      into_.parts.kinds[static_cast<size_t>(id)] =
          token.special ? TokenKind::control : TokenKind::user_defined;
      into_.added.push_back(std::move(token));
    });
  }

 private:
  void put(int64_t id, const std::string& text, const JsonNode& where) {
    const auto index = static_cast<size_t>(id);
    // Ids may have gaps, but memory is a small multiple of what the file lists.
    if (index >= room_ + 65536)
      where.refuse(concat("the token id ", id, " is far beyond the number of tokens"));
    if (index >= into_.texts.size()) {
      into_.texts.resize(index + 1);
      into_.parts.kinds.resize(index + 1, TokenKind::unused);
    }
    if (into_.parts.kinds[index] != TokenKind::unused && into_.texts[index] != text)
      where.refuse(concat("the token id ", id, " is already that of ", quoted_name(into_.texts[index])));
    into_.texts[index] = text;
    into_.parts.kinds[index] = TokenKind::normal;
  }

  JsonVocabulary& into_;
  size_t room_ = 0;
};

[[nodiscard]] std::optional<Token> token_named(const JsonNode& name, const Vocabulary& vocabulary) {
  if (name.is_null()) return std::nullopt;
  const auto token = vocabulary.find(name.string());
  if (!token) name.refuse(concat(quoted_name(name.string()), " is not in the vocabulary"));
  return token;
}

[[nodiscard]] std::unique_ptr<WordModel> read_bpe(const JsonNode& node, const Vocabulary& vocabulary,
                                                  bool byte_level) {
  if (!node["dropout"].is_null() && node["dropout"].number() != 0) node["dropout"].refuse("is not supported");
  BpeOptions options;
  options.continuing_prefix = node["continuing_subword_prefix"].string_or("");
  options.word_suffix = node["end_of_word_suffix"].string_or("");
  options.byte_level = byte_level;
  options.byte_fallback = node["byte_fallback"].boolean_or(false);
  if (options.byte_level && options.byte_fallback)
    node["byte_fallback"].refuse("is not supported together with ByteLevel");
  options.unknown = token_named(node["unk_token"], vocabulary);
  options.fuse_unknown = node["fuse_unk"].boolean_or(false);
  options.ignore_merges = node["ignore_merges"].boolean_or(false);
  return std::make_unique<Bpe>(vocabulary, read_merges(node["merges"]), options);
}

[[nodiscard]] std::unique_ptr<WordModel> read_word_piece(const JsonNode& node, const Vocabulary& vocabulary) {
  WordPieceOptions options;
  const auto unknown = token_named(node["unk_token"], vocabulary);
  if (!unknown) node["unk_token"].refuse("is missing");
  options.unknown = *unknown;
  if (const JsonNode most = node["max_input_chars_per_word"]; !most.is_null())
    options.most_characters = static_cast<size_t>(most.integer(1, 1 << 20));
  const std::string prefix = node["continuing_subword_prefix"].string_or("##");
  return make_word_piece_model(vocabulary, prefix, options);
}

[[nodiscard]] std::unique_ptr<WordModel> read_unigram(const JsonNode& node, const Vocabulary& vocabulary,
                                                      std::vector<double> scores) {
  const auto tokens = static_cast<int64_t>(scores.size());
  UnigramOptions options;
  options.byte_fallback = node["byte_fallback"].boolean_or(false);
  if (const JsonNode unknown = node["unk_id"]; !unknown.is_null())
    options.unknown = static_cast<Token>(unknown.integer(0, tokens - 1));
  options.lowest_score = scores.empty() ? 0.0 : *std::min_element(scores.begin(), scores.end());
  Trie trie;
  for (int64_t i = 0; i < tokens; ++i) {
    const auto token = static_cast<Token>(i);
    // Special tokens are in the list like any other, but they are no text.
    const TokenKind kind = vocabulary.kind(token);
    if (kind != TokenKind::control && kind != TokenKind::unknown && kind != TokenKind::byte)
      trie.insert(vocabulary.text(token), token);
  }
  scores.resize(vocabulary.size());
  return std::make_unique<Unigram>(std::move(trie), std::move(scores), vocabulary, options);
}

}  // namespace

std::string model_type(const JsonNode& model) {
  if (const JsonNode type = model["type"]; !type.is_null()) return type.string();
  if (!model["merges"].is_null()) return "BPE";
  if (model["vocab"].is_array()) return "Unigram";
  return model["max_input_chars_per_word"].is_null() ? "WordLevel" : "WordPiece";
}

bool works_on_bytes(const JsonNode& model) {
  return model_type(model) == "BPE" && model["continuing_subword_prefix"].string_or("").empty() &&
         model["end_of_word_suffix"].string_or("").empty();
}

std::vector<Bpe::Pair> read_merges(const JsonNode& node) {
  std::vector<Bpe::Pair> merges;
  merges.reserve(node.size());
  node.for_each_element([&](const JsonNode& merge) {
    if (merge.is_string()) {
      const std::string_view text = merge.string();
      const size_t space = text.find(' ');
      if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos)
        merge.refuse("expected two symbols with a space between them");
      merges.emplace_back(text.substr(0, space), text.substr(space + 1));
      return;
    }
    std::vector<std::string_view> symbols;
    merge.for_each_element([&](const JsonNode& symbol) { symbols.emplace_back(symbol.string()); });
    if (symbols.size() != 2) merge.refuse("expected two symbols");
    merges.emplace_back(symbols[0], symbols[1]);
  });
  return merges;
}

JsonVocabulary read_vocabulary(const JsonNode& root) {
  JsonVocabulary vocabulary;
  const JsonNode model = root["model"];
  const std::string type = model_type(model);
  VocabularyReader reader(vocabulary);
  if (type == "BPE" || type == "WordPiece" || type == "WordLevel") {
    reader.read_ids(model["vocab"]);
  } else if (type == "Unigram") {
    reader.read_scores(model["vocab"]);
  } else {
    model.refuse(concat("the model ", quoted_name(type), " is not supported"));
  }
  const bool byte_fallback = model["byte_fallback"].boolean_or(false);
  for (size_t i = 0; i < vocabulary.texts.size() && byte_fallback; ++i)
    if (byte_token_value(vocabulary.texts[i])) vocabulary.parts.kinds[i] = TokenKind::byte;
  reader.read_added(root["added_tokens"]);
  if (vocabulary.texts.empty()) model["vocab"].refuse("lists no tokens");

  std::optional<std::string> unknown;
  if (const JsonNode text = model["unk_token"]; !text.is_null()) unknown = text.string();
  if (const JsonNode id = model["unk_id"]; !id.is_null() && type == "Unigram")
    unknown =
        vocabulary.texts[static_cast<size_t>(id.integer(0, static_cast<int64_t>(model["vocab"].size()) - 1))];
  for (size_t i = 0; i < vocabulary.texts.size() && unknown; ++i) {
    if (vocabulary.texts[i] != *unknown) continue;
    vocabulary.parts.unknown = static_cast<Token>(i);
    vocabulary.parts.kinds[i] = TokenKind::unknown;
    break;
  }
  vocabulary.parts.texts.assign(vocabulary.texts.begin(), vocabulary.texts.end());
  return vocabulary;
}

std::unique_ptr<WordModel> read_model(const JsonNode& node, const Vocabulary& vocabulary,
                                      const std::vector<double>& scores, bool byte_level) {
  const std::string type = model_type(node);
  if (type == "BPE") return read_bpe(node, vocabulary, byte_level);
  if (type == "WordLevel")
    return std::make_unique<WordLevel>(vocabulary, vocabulary.find(node["unk_token"].string_or("<unk>")));
  if (type == "WordPiece") return read_word_piece(node, vocabulary);
  return read_unigram(node, vocabulary, scores);
}

}  // namespace linnet
