// The "pre_tokenizer" of tokenizer.json.
#include "base/error.h"
#include "base/quoted.h"
#include "base/utf8.h"
#include "files/metadata.h"
#include "text/script_classes.h"
#include "text/tokenizer_json.h"
#include "text/vocabulary.h"
#include "text/word_scanner.h"

namespace linnet {
namespace {

[[nodiscard]] SplitBehavior read_behavior(const JsonNode& node, std::string_view otherwise) {
  const std::string name = node.string_or(otherwise);
  if (name == "Removed") return SplitBehavior::removed;
  if (name == "Isolated") return SplitBehavior::isolated;
  if (name == "MergedWithPrevious") return SplitBehavior::merged_with_previous;
  if (name == "MergedWithNext") return SplitBehavior::merged_with_next;
  if (name == "Contiguous") return SplitBehavior::contiguous;
  node.refuse(concat("the behavior ", quoted_name(name), " is not supported"));
}

[[nodiscard]] std::unique_ptr<PreTokenizerStep> read_split(const JsonNode& node) {
  const JsonNode pattern = node["pattern"];
  std::unique_ptr<Matcher> matcher;
  if (const JsonNode text = pattern["String"]; !text.is_null()) {
    matcher = match_text(text.string());
  } else if (const JsonNode source = pattern["Regex"]; !source.is_null()) {
    matcher = match_pattern(source.string());
  } else {
    pattern.refuse("expected {\"String\": …} or {\"Regex\": …}");
  }
  return split_at(std::move(matcher), read_behavior(node["behavior"], "Isolated"),
                  node["invert"].boolean_or(false));
}

[[nodiscard]] std::string one_character(const JsonNode& node, std::string_view otherwise) {
  std::string text = node.string_or(otherwise);
  if (text.empty() || decode(text).bytes != text.size()) node.refuse("expected one character");
  return text;
}

[[nodiscard]] std::unique_ptr<PreTokenizerStep> read_metaspace(const JsonNode& node) {
  // Old files have add_prefix_space alone, newer ones the scheme.
  const JsonNode scheme_node = node["prepend_scheme"];
  const std::string scheme =
      scheme_node.string_or(node["add_prefix_space"].boolean_or(true) ? "always" : "never");
  PrependScheme prepends = PrependScheme::always;
  if (scheme == "first") {
    prepends = PrependScheme::first;
  } else if (scheme == "never") {
    prepends = PrependScheme::never;
  } else if (scheme != "always") {
    scheme_node.refuse("expected always, first or never");
  }
  return metaspace(one_character(node["replacement"], kEscapedSpace), prepends,
                   node["split"].boolean_or(true));
}

class Reader {
 public:
  Reader(PreTokenizer& into, bool keeps_alphabet) : into_(into), keeps_alphabet_(keeps_alphabet) {}

  void read(const JsonNode& node) {
    const std::string& type = node["type"].string();
    if (type == "Sequence") {
      node["pretokenizers"].for_each_element([&](const JsonNode& step) { read(step); });
      return;
    }
    if (type == "ByteLevel") {
      read_byte_level(node);
      return;
    }
    // A step after ByteLevel sees its alphabet; only then is it written out.
    if (byte_level_) enter_alphabet();
    into_.add(read_step(node, type));
  }

  [[nodiscard]] bool finish() {
    if (keeps_alphabet_ && byte_level_) {
      enter_alphabet();
    } else if (in_alphabet_) {
      into_.add(leave_byte_alphabet());
    }
    return byte_level_;
  }

 private:
  void enter_alphabet() {
    if (!in_alphabet_) into_.add(enter_byte_alphabet());
    in_alphabet_ = true;
  }

  void read_byte_level(const JsonNode& node) {
    if (byte_level_) node.refuse("a second ByteLevel is not supported");
    byte_level_ = true;
    if (node["add_prefix_space"].boolean_or(true)) into_.add(prefix_space());
    if (node["use_regex"].boolean_or(true))
      into_.add(split_at(match_words(scan_gpt2), SplitBehavior::isolated));
  }

  [[nodiscard]] std::unique_ptr<PreTokenizerStep> read_step(const JsonNode& node,
                                                            const std::string& type) const {
    if (in_alphabet_ && type != "Digits" && type != "Split" && type != "Punctuation")
      node.refuse(concat(quoted_name(type), " after ByteLevel is not supported"));
    if (type == "Split") return read_split(node);
    if (type == "Metaspace") return read_metaspace(node);
    if (type == "Whitespace") {
      return split_at(match_words_and_symbols(), SplitBehavior::removed, true);
    }
    if (type == "WhitespaceSplit") return split_at(match_each(is_white_space), SplitBehavior::removed);
    if (type == "BertPreTokenizer") return split_as_bert();
    if (type == "Digits") {
      const bool individual = node["individual_digits"].boolean_or(false);
      return split_at(match_each(is_number),
                      individual ? SplitBehavior::isolated : SplitBehavior::contiguous);
    }
    if (type == "Punctuation")
      return split_at(match_each(is_any_punctuation), read_behavior(node["behavior"], "Isolated"));
    if (type == "CharDelimiterSplit")
      return split_at(match_text(one_character(node["delimiter"], "")), SplitBehavior::removed);
    node.refuse(concat("the pre-tokenizer ", quoted_name(type), " is not supported"));
  }

  PreTokenizer& into_;
  bool keeps_alphabet_;
  bool byte_level_ = false;
  bool in_alphabet_ = false;
};

}  // namespace

bool read_pre_tokenizer(const JsonNode& node, PreTokenizer& into, bool keeps_alphabet) {
  if (node.is_null()) return false;
  Reader reader(into, keeps_alphabet);
  reader.read(node);
  return reader.finish();
}

}  // namespace linnet
