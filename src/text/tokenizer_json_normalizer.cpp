// The "normalizer" of tokenizer.json.
#include "base/error.h"
#include "base/quoted.h"
#include "files/metadata.h"
#include "text/base64.h"
#include "text/tokenizer_json.h"

namespace linnet {
namespace {

// {"String": "…"} or {"Regex": "…"}.
[[nodiscard]] std::unique_ptr<Matcher> read_pattern(const JsonNode& node) {
  if (const JsonNode text = node["String"]; !text.is_null()) return match_text(text.string());
  if (const JsonNode pattern = node["Regex"]; !pattern.is_null()) return match_pattern(pattern.string());
  node.refuse("expected {\"String\": …} or {\"Regex\": …}");
}

[[nodiscard]] BertNormalization read_bert(const JsonNode& node) {
  BertNormalization options;
  options.clean_text = node["clean_text"].boolean_or(true);
  options.handle_chinese_chars = node["handle_chinese_chars"].boolean_or(true);
  options.lowercase = node["lowercase"].boolean_or(true);
  options.strip_accents = node["strip_accents"].boolean_or(options.lowercase);
  return options;
}

}  // namespace

void read_normalizer(const JsonNode& node, Normalizer& into) {
  if (node.is_null()) return;
  const std::string& type = node["type"].string();
  if (type == "Sequence") {
    node["normalizers"].for_each_element([&](const JsonNode& step) { read_normalizer(step, into); });
  } else if (type == "NFC") {
    into.add(to_form(NormalForm::nfc));
  } else if (type == "NFD") {
    into.add(to_form(NormalForm::nfd));
  } else if (type == "NFKC") {
    into.add(to_form(NormalForm::nfkc));
  } else if (type == "NFKD") {
    into.add(to_form(NormalForm::nfkd));
  } else if (type == "Lowercase") {
    into.add(to_lower_case());
  } else if (type == "Strip") {
    into.add(strip_spaces(node["strip_left"].boolean_or(true), node["strip_right"].boolean_or(true)));
  } else if (type == "StripAccents") {
    into.add(strip_marks());
  } else if (type == "Nmt") {
    into.add(normalize_as_nmt());
  } else if (type == "Replace") {
    into.add(replace_matches(read_pattern(node["pattern"]), node["content"].string()));
  } else if (type == "Prepend") {
    into.add(prepend(node["prepend"].string()));
  } else if (type == "ByteLevel") {
    into.add(write_in_byte_alphabet());
  } else if (type == "BertNormalizer") {
    into.add(normalize_as_bert(read_bert(node)));
  } else if (type == "Precompiled") {
    if (node["precompiled_charsmap"].is_null()) return;
    const auto blob = decode_base64(node["precompiled_charsmap"].string());
    if (!blob) node["precompiled_charsmap"].refuse("it is not base64");
    if (!blob->empty()) into.add(apply_charsmap(Charsmap(*blob), true));
  } else {
    node.refuse(concat("the normalizer ", quoted_name(type), " is not supported"));
  }
}

}  // namespace linnet
