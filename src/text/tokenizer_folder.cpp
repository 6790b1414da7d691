// make_tokenizer_from_folder(): gathers what the files of a Hugging Face folder say.
#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/quoted.h"
#include "files/json_node.h"
#include "files/metadata.h"
#include "text/folder_settings.h"
#include "text/pipeline_tokenizer.h"
#include "text/tokenizer_json.h"
#include "text/word_piece.h"

namespace linnet {
namespace {

using Path = std::filesystem::path;

// Classes of transformers that put BOS and EOS around by flags of tokenizer_config.json, whatever
// tokenizer.json's post-processor says.
void read_flags(const JsonNode& config, TokenizerSettings& settings) {
  constexpr std::array<std::string_view, 5> kClasses = {
      "LlamaTokenizer", "CodeLlamaTokenizer", "GemmaTokenizer", "CohereTokenizer", "Llama32Tokenizer"};
  std::string name = config["tokenizer_class"].string_or("");
  if (name.ends_with("Fast")) name.resize(name.size() - 4);
  if (std::find(kClasses.begin(), kClasses.end(), name) == kClasses.end()) return;
  settings.add_bos = config["add_bos_token"].boolean_or(true);
  settings.add_eos = config["add_eos_token"].boolean_or(false);
}

// eos_token_id is one id or several.
void read_ends(const JsonNode& node, std::vector<int64_t>& into) {
  if (node.is_null()) return;
  const auto add = [&](const JsonNode& id) { into.push_back(id.integer(0, INT32_MAX)); };
  if (node.is_array()) {
    node.for_each_element(add);
  } else {
    add(node);
  }
}

[[nodiscard]] TokenizerSettings read_settings(const Path& folder, const JsonNode& config) {
  const JsonFile map = read_settings_file(folder / "special_tokens_map.json");
  const Path generation = folder / "generation_config.json";
  const JsonFile ends =
      read_settings_file(std::filesystem::exists(generation) ? generation : folder / "config.json");
  const JsonFile sentences = read_settings_file(folder / "sentence_bert_config.json");
  return read_tokenizer_settings(config, map.root(), ends.root(), sentences.root());
}

[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// BERT's own format: one token per line.
[[nodiscard]] std::unique_ptr<Tokenizer> make_from_vocab_txt(const Path& path, const JsonNode& config,
                                                             const TokenizerSettings& settings) {
  const MappedFile file(path);
  if (file.bytes().size() > JsonFile::kLargest)
    fail(ErrorKind::model, path.string(), " has ", file.bytes().size(), " bytes; at most ",
         JsonFile::kLargest, " are read");
  VocabularyParts parts;
  parts.texts = lines_of({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
  parts.kinds.assign(parts.texts.size(), TokenKind::normal);
  std::vector<AddedToken> added;
  const auto special = [&](std::string_view name, std::string_view otherwise) {
    const std::string text = special_token_text(config[name]).value_or(std::string(otherwise));
    const auto found = std::find(parts.texts.begin(), parts.texts.end(), text);
    if (found == parts.texts.end())
      fail(ErrorKind::model, path.string(), ": the special token ", quoted_name(text), " is not in it");
    const auto token = static_cast<Token>(found - parts.texts.begin());
    parts.kinds[static_cast<size_t>(token)] = name == "unk_token" ? TokenKind::unknown : TokenKind::control;
    AddedToken entry;
    entry.text = text;
    entry.token = token;
    entry.special = true;
    added.push_back(std::move(entry));
    return token;
  };
  Pipeline pipeline;
  WordPieceOptions options;
  parts.unknown = options.unknown = special("unk_token", "[UNK]");
  pipeline.before = {special("cls_token", "[CLS]")};
  pipeline.after = {special("sep_token", "[SEP]")};
  (void)special("pad_token", "[PAD]");
  (void)special("mask_token", "[MASK]");

  BertNormalization normalization;
  normalization.lowercase = config["do_lower_case"].boolean_or(true);
  normalization.strip_accents = config["strip_accents"].boolean_or(normalization.lowercase);
  normalization.handle_chinese_chars = config["tokenize_chinese_chars"].boolean_or(true);
  pipeline.normalizer.add(normalize_as_bert(normalization));
  pipeline.pre_tokenizer.add(split_as_bert());
  pipeline.truncation.most_tokens = settings.most_tokens;
  pipeline.pieces = {PieceStyle::word_piece, "##", false, true, true};
  pipeline.parses_special = true;
  pipeline.added = AddedTokens(std::move(added), pipeline.normalizer);
  Vocabulary vocabulary(parts);
  pipeline.model = make_word_piece_model(vocabulary, "##", options);
  return std::make_unique<PipelineTokenizer>(std::move(vocabulary), std::move(pipeline));
}

}  // namespace

TokenizerSettings read_tokenizer_settings(const JsonNode& config, const JsonNode& map,
                                          const JsonNode& generation, const JsonNode& sentences) {
  TokenizerSettings settings;
  settings.bos = special_token_text(config, map, "bos_token");
  settings.eos = special_token_text(config, map, "eos_token");
  settings.unknown = special_token_text(config, map, "unk_token");
  read_flags(config, settings);
  read_ends(generation["eos_token_id"], settings.ends);
  if (const JsonNode most = sentences["max_seq_length"]; !most.is_null())
    settings.most_tokens = static_cast<size_t>(most.integer(1, INT32_MAX));
  settings.lowercase = sentences["do_lower_case"].boolean_or(false);
  return settings;
}

std::unique_ptr<Tokenizer> make_tokenizer_from_folder(const std::filesystem::path& folder) {
  const JsonFile config = read_settings_file(folder / "tokenizer_config.json");
  const TokenizerSettings settings = read_settings(folder, config.root());
  if (const Path path = folder / "tokenizer.json"; std::filesystem::exists(path))
    return make_tokenizer_from_json(JsonFile(path), settings);
  if (const Path path = folder / "vocab.txt"; std::filesystem::exists(path))
    return make_from_vocab_txt(path, config.root(), settings);
  fail(ErrorKind::model, folder.string(), " has neither tokenizer.json nor vocab.txt");
}

}  // namespace linnet
