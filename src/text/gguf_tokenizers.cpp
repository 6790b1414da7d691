#include "text/gguf_tokenizers.h"

#include <algorithm>

#include "base/error.h"
#include "base/quoted.h"
#include "text/bpe.h"
#include "text/pipeline_tokenizer.h"
#include "text/pre_tokenizer_names.h"
#include "text/unigram.h"
#include "text/vocabulary.h"
#include "text/word_piece.h"

namespace linnet {
namespace {

// User-defined tokens always, control tokens when special ones are parsed.
[[nodiscard]] AddedTokens added_tokens(const Vocabulary& vocabulary, const Normalizer& normalizer) {
  std::vector<AddedToken> tokens;
  for (size_t i = 0; i < vocabulary.size(); ++i) {
    const auto token = static_cast<Token>(i);
    const TokenKind kind = vocabulary.kind(token);
    if (kind != TokenKind::user_defined && kind != TokenKind::control) continue;
    AddedToken added;
    added.text = vocabulary.text(token);
    added.token = token;
    added.special = kind == TokenKind::control;
    tokens.push_back(std::move(added));
  }
  return {std::move(tokens), normalizer};
}

void put_around(const Vocabulary& vocabulary, Pipeline& pipeline) {
  if (vocabulary.add_bos() && vocabulary.bos()) pipeline.before.push_back(*vocabulary.bos());
  if (vocabulary.add_eos() && vocabulary.eos()) pipeline.after.push_back(*vocabulary.eos());
}

[[nodiscard]] std::vector<Bpe::Pair> read_merges(const Metadata& metadata) {
  constexpr std::string_view kMerges = "tokenizer.ggml.merges";
  std::vector<Bpe::Pair> merges;
  for (const std::string_view merge : metadata.get_strings(kMerges)) {
    const size_t space = merge.find(' ', 1);  // the first symbol is never empty
    if (space == std::string_view::npos) {
      fail(ErrorKind::model, "metadata key ", quoted_name(kMerges), ": merge ", merges.size(), " is ",
           quoted_name(merge), "; expected two symbols with a space between them");
    }
    merges.emplace_back(merge.substr(0, space), merge.substr(space + 1));
  }
  return merges;
}

// A special token by the first of two keys that is there, or a default.
[[nodiscard]] Token special_token(const Metadata& metadata, const Vocabulary& vocabulary,
                                  std::string_view key, std::string_view other_key, Token otherwise) {
  auto id = metadata.find_u64(key);
  if (!id) id = metadata.find_u64(other_key);
  const uint64_t value = id.value_or(static_cast<uint64_t>(otherwise));
  if (value >= vocabulary.size()) {
    fail(ErrorKind::model, "the special token ", quoted_name(key), " is ", value, " but the vocabulary has ",
         vocabulary.size(), " tokens");
  }
  return static_cast<Token>(value);
}

[[nodiscard]] std::string bytes_of(const Metadata& metadata, std::string_view key) {
  std::string bytes;
  const auto values = metadata.find_integers(key);
  if (!values) return bytes;
  bytes.reserve(values->size());
  for (const int64_t value : *values) bytes += static_cast<char>(value);
  return bytes;
}

}  // namespace

std::unique_ptr<Tokenizer> make_byte_level_bpe(const Metadata& metadata) {
  NamedPreTokenizer named =
      make_named_pre_tokenizer(metadata.find_string("tokenizer.ggml.pre").value_or("default"));
  VocabularyDefaults defaults;
  defaults.add_bos = named.add_bos;
  Vocabulary vocabulary(metadata, defaults);
  Pipeline pipeline;
  pipeline.normalizer = std::move(named.normalizer);
  pipeline.pre_tokenizer = std::move(named.pre_tokenizer);
  if (metadata.find_bool("tokenizer.ggml.add_space_prefix").value_or(false))
    pipeline.pre_tokenizer.add_front(prefix_space());
  BpeOptions options;
  options.byte_level = true;
  options.ignore_merges = named.ignore_merges;
  pipeline.model = std::make_unique<Bpe>(vocabulary, read_merges(metadata), options);
  pipeline.added = added_tokens(vocabulary, pipeline.normalizer);
  pipeline.pieces.style = PieceStyle::byte_level;
  put_around(vocabulary, pipeline);
  return std::make_unique<PipelineTokenizer>(std::move(vocabulary), std::move(pipeline));
}

std::unique_ptr<Tokenizer> make_word_piece(const Metadata& metadata) {
  VocabularyDefaults defaults;
  defaults.unknown = 100;
  Vocabulary vocabulary(metadata, defaults);
  const Token unknown = special_token(metadata, vocabulary, "tokenizer.ggml.unknown_token_id",
                                      "tokenizer.ggml.unknown_token_id", 100);
  Pipeline pipeline;
  if (metadata.find_bool("tokenizer.ggml.add_bos_token").value_or(true)) {
    pipeline.before.push_back(special_token(metadata, vocabulary, "tokenizer.ggml.cls_token_id",
                                            "tokenizer.ggml.bos_token_id", 101));
  }
  if (metadata.find_bool("tokenizer.ggml.add_sep_token").value_or(true)) {
    // The key is spelled so in the files.
    pipeline.after.push_back(special_token(metadata, vocabulary, "tokenizer.ggml.seperator_token_id",
                                           "tokenizer.ggml.eos_token_id", 102));
  }
  BertNormalization normalization;
  normalization.lowercase = metadata.find_bool("tokenizer.ggml.normalizer.lowercase").value_or(true);
  normalization.strip_accents =
      metadata.find_bool("tokenizer.ggml.normalizer.strip_accents").value_or(normalization.lowercase);
  pipeline.normalizer.add(normalize_as_bert(normalization));
  pipeline.pre_tokenizer.add(split_as_bert());

  // ▁ marks the beginning of a word; what has none continues one.
  Trie beginnings;
  Trie continuations;
  for (size_t i = vocabulary.size(); i-- > 0;) {  // the first of several with one text stays
    const auto token = static_cast<Token>(i);
    const std::string_view text = vocabulary.text(token);
    if (vocabulary.kind(token) == TokenKind::control) continue;
    if (text.starts_with(kEscapedSpace)) {
      beginnings.insert(text.substr(kEscapedSpace.size()), token);
    } else {
      continuations.insert(text, token);
    }
  }
  WordPieceOptions options;
  options.unknown = unknown;
  pipeline.model = std::make_unique<WordPiece>(std::move(beginnings), std::move(continuations), options);
  pipeline.added = added_tokens(vocabulary, pipeline.normalizer);
  pipeline.pieces = {PieceStyle::word_piece, std::string(kEscapedSpace), true, true, true};
  return std::make_unique<PipelineTokenizer>(std::move(vocabulary), std::move(pipeline));
}

std::unique_ptr<Tokenizer> make_unigram(const Metadata& metadata) {
  VocabularyDefaults defaults;
  defaults.eos = 1;
  defaults.unknown = 2;
  defaults.add_eos = true;
  defaults.needs_scores = true;
  defaults.needs_kinds = true;
  Vocabulary vocabulary(metadata, defaults);
  Pipeline pipeline;
  const bool add_space_prefix = metadata.find_bool("tokenizer.ggml.add_space_prefix").value_or(true);
  if (const std::string charsmap = bytes_of(metadata, "tokenizer.ggml.precompiled_charsmap");
      !charsmap.empty())
    pipeline.normalizer.add(apply_charsmap(Charsmap(charsmap), false));
  if (metadata.find_bool("tokenizer.ggml.remove_extra_whitespaces").value_or(false))
    pipeline.normalizer.add(remove_extra_spaces());
  pipeline.pre_tokenizer.add(metaspace(
      std::string(kEscapedSpace), add_space_prefix ? PrependScheme::always : PrependScheme::never, false));

  Trie trie;
  std::vector<double> scores(vocabulary.size());
  UnigramOptions options;
  options.unknown = vocabulary.unknown();
  options.lowest_score = 0;
  for (size_t i = vocabulary.size(); i-- > 0;) {
    const auto token = static_cast<Token>(i);
    const TokenKind kind = vocabulary.kind(token);
    options.byte_fallback = options.byte_fallback || kind == TokenKind::byte;
    if (kind != TokenKind::normal && kind != TokenKind::user_defined && kind != TokenKind::unused) continue;
    scores[i] = kind == TokenKind::user_defined ? 0.0 : static_cast<double>(vocabulary.score(token));
    options.lowest_score = std::min(options.lowest_score, scores[i]);
    trie.insert(vocabulary.text(token), token);
  }
  pipeline.model = std::make_unique<Unigram>(std::move(trie), std::move(scores), vocabulary, options);
  pipeline.added = added_tokens(vocabulary, pipeline.normalizer);
  pipeline.pieces = {PieceStyle::metaspace, std::string(kEscapedSpace), false, false, add_space_prefix};
  put_around(vocabulary, pipeline);
  return std::make_unique<PipelineTokenizer>(std::move(vocabulary), std::move(pipeline));
}

}  // namespace linnet
