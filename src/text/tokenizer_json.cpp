#include "text/tokenizer_json.h"

#include <algorithm>

#include "base/error.h"
#include "base/quoted.h"
#include "files/metadata.h"
#include "text/vocabulary.h"

namespace linnet {
namespace {

// ["[SEP]", 102]
[[nodiscard]] Token token_of_pair(const JsonNode& node, const Vocabulary& vocabulary) {
  std::optional<Token> token;
  size_t column = 0;
  node.for_each_element([&](const JsonNode& cell) {
    if (column++ == 1)
      token = static_cast<Token>(cell.integer(0, static_cast<int64_t>(vocabulary.size()) - 1));
  });
  if (!token || column != 2) node.refuse("expected [\"token\", id]");
  return *token;
}

// The ids of a special token of a template, which may be several.
void append_special(const JsonNode& special_tokens, const std::string& name, const Vocabulary& vocabulary,
                    std::vector<Token>& into) {
  const JsonNode special = special_tokens[name];
  if (special.is_null()) special.refuse("the template uses it, but it is not defined");
  special["ids"].for_each_element([&](const JsonNode& id) {
    into.push_back(static_cast<Token>(id.integer(0, static_cast<int64_t>(vocabulary.size()) - 1)));
  });
}

struct Around {
  std::vector<Token> before, after;
};

[[nodiscard]] Around read_template(const JsonNode& node, const Vocabulary& vocabulary) {
  Around around;
  bool text_seen = false;
  node["single"].for_each_element([&](const JsonNode& item) {
    if (const JsonNode special = item["SpecialToken"]; !special.is_null()) {
      append_special(node["special_tokens"], special["id"].string(), vocabulary,
                     text_seen ? around.after : around.before);
      return;
    }
    const JsonNode sequence = item["Sequence"];
    if (sequence["id"].string() != "A" || text_seen)
      item.refuse("expected the text once in a template for one text");
    text_seen = true;
  });
  if (!text_seen) node["single"].refuse("the template leaves the text out");
  return around;
}

void put_around(const Around& around, Pipeline& into) {
  into.before.insert(into.before.begin(), around.before.begin(), around.before.end());
  into.after.insert(into.after.end(), around.after.begin(), around.after.end());
}

[[nodiscard]] Truncation read_truncation(const JsonNode& node, const TokenizerSettings& settings) {
  Truncation truncation;
  if (!node.is_null()) {
    truncation.most_tokens = static_cast<size_t>(node["max_length"].integer(0, INT32_MAX));
    const std::string direction = node["direction"].string_or("Right");
    if (direction != "Right" && direction != "Left") node["direction"].refuse("expected Left or Right");
    truncation.from_left = direction == "Left";
  }
  if (settings.most_tokens) truncation.most_tokens = settings.most_tokens;
  return truncation;
}

[[nodiscard]] std::optional<Token> find_text(const JsonVocabulary& vocabulary,
                                             const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto found = std::find(vocabulary.texts.begin(), vocabulary.texts.end(), *text);
  if (found == vocabulary.texts.end()) return std::nullopt;
  return static_cast<Token>(found - vocabulary.texts.begin());
}

// BOS, EOS and the ends of a generation, as the files beside say.
void apply_settings(const TokenizerSettings& settings, JsonVocabulary& vocabulary) {
  VocabularyParts& parts = vocabulary.parts;
  parts.bos = find_text(vocabulary, settings.bos);
  parts.eos = find_text(vocabulary, settings.eos);
  if (!parts.unknown) parts.unknown = find_text(vocabulary, settings.unknown);
  for (const int64_t id : settings.ends)
    if (id >= 0 && static_cast<size_t>(id) < vocabulary.texts.size())
      parts.ends.push_back(static_cast<Token>(id));
}

// A model's class may put BOS and EOS around by flags instead of the post-processor.
void replace_by_flags(const TokenizerSettings& settings, const Vocabulary& vocabulary, Pipeline& pipeline) {
  if (!settings.add_bos && !settings.add_eos) return;
  pipeline.before.clear();
  pipeline.after.clear();
  if (settings.add_bos.value_or(false) && vocabulary.bos()) pipeline.before.push_back(*vocabulary.bos());
  if (settings.add_eos.value_or(false) && vocabulary.eos()) pipeline.after.push_back(*vocabulary.eos());
}

void read_decoder_step(const JsonNode& node, PieceFormat& format) {
  const std::string& type = node["type"].string();
  if (type == "Sequence") {
    node["decoders"].for_each_element([&](const JsonNode& step) { read_decoder_step(step, format); });
  } else if (type == "Metaspace") {
    format.style = PieceStyle::metaspace;
    format.marker = node["replacement"].string_or(kEscapedSpace);
    format.drops_first_space = node["prepend_scheme"].string_or(
                                   node["add_prefix_space"].boolean_or(true) ? "always" : "never") != "never";
  } else if (type == "WordPiece") {
    format.style = PieceStyle::word_piece;
    format.marker = node["prefix"].string_or("##");
    format.cleans_up = node["cleanup"].boolean_or(true);
    format.drops_first_space = true;
  } else if (type == "ByteLevel") {
    format.style = PieceStyle::byte_level;
  } else if (type == "BPEDecoder") {
    format.style = PieceStyle::metaspace;
    format.marker = node["suffix"].string_or("</w>");
    format.drops_last_space = true;
  } else if (type == "Replace") {
    if (node["content"].string() != " " || node["pattern"]["String"].is_null())
      node.refuse("the decoder Replace is supported for a text that stands for the space only");
    format.style = PieceStyle::metaspace;
    format.marker = node["pattern"]["String"].string();
  } else if (type == "Strip") {
    const bool one_space = node["content"].string() == " " && node["start"].integer(0, INT32_MAX) <= 1 &&
                           node["stop"].integer(0, INT32_MAX) == 0;
    if (!one_space) node.refuse("the decoder Strip is supported for one space at the beginning only");
    format.drops_first_space = node["start"].integer(0, 1) == 1;
  } else if (type != "ByteFallback" && type != "Fuse") {
    node.refuse(concat("the decoder ", quoted_name(type), " is not supported"));
  }
}

}  // namespace

void read_post_processor(const JsonNode& node, const Vocabulary& vocabulary, Pipeline& into) {
  if (node.is_null()) return;
  const std::string& type = node["type"].string();
  if (type == "Sequence") {
    node["processors"].for_each_element(
        [&](const JsonNode& step) { read_post_processor(step, vocabulary, into); });
  } else if (type == "TemplateProcessing") {
    put_around(read_template(node, vocabulary), into);
  } else if (type == "BertProcessing" || type == "RobertaProcessing") {
    put_around({{token_of_pair(node["cls"], vocabulary)}, {token_of_pair(node["sep"], vocabulary)}}, into);
  } else if (type != "ByteLevel") {  // that one only changes offsets
    node.refuse(concat("the post-processor ", quoted_name(type), " is not supported"));
  }
}

PieceFormat read_decoder(const JsonNode& node, const JsonNode& model, bool byte_level) {
  PieceFormat format;
  if (byte_level) format.style = PieceStyle::byte_level;
  if (!node.is_null()) {
    read_decoder_step(node, format);
  } else if (model_type(model) == "WordLevel") {
    // Words with a space between them.
    format.style = PieceStyle::word_piece;
    format.marks_beginnings = true;
    format.drops_first_space = true;
  }
  return format;
}

std::unique_ptr<Tokenizer> make_tokenizer_from_json(const JsonFile& file, const TokenizerSettings& settings) {
  const JsonNode root = file.root();
  JsonVocabulary read = read_vocabulary(root);
  apply_settings(settings, read);
  Vocabulary vocabulary(read.parts);
  Pipeline pipeline;
  if (settings.lowercase) pipeline.normalizer.add(to_lower_case());
  read_normalizer(root["normalizer"], pipeline.normalizer);
  const bool can_merge_bytes = works_on_bytes(root["model"]);
  const bool byte_level = read_pre_tokenizer(root["pre_tokenizer"], pipeline.pre_tokenizer, !can_merge_bytes);
  pipeline.model = read_model(root["model"], vocabulary, read.scores, byte_level && can_merge_bytes);
  pipeline.added = AddedTokens(std::move(read.added), pipeline.normalizer);
  read_post_processor(root["post_processor"], vocabulary, pipeline);
  replace_by_flags(settings, vocabulary, pipeline);
  pipeline.truncation = read_truncation(root["truncation"], settings);
  pipeline.pieces = read_decoder(root["decoder"], root["model"], byte_level);
  pipeline.parses_special = true;
  return std::make_unique<PipelineTokenizer>(std::move(vocabulary), std::move(pipeline));
}

}  // namespace linnet
