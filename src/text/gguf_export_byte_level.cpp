// Byte-level BPE: GGUF says how words are cut by a name for the whole of it (tokenizer.ggml.pre).
#include "base/error.h"
#include "base/quoted.h"
#include "text/gguf_export.h"
#include "text/known_patterns.h"
#include "text/script_classes.h"
#include "text/word_scanner.h"

namespace linnet {
namespace {

// One step as a line of text, so that a sequence can be compared with the known ones.
[[nodiscard]] std::string described(const JsonNode& step) {
  const std::string& type = step["type"].string();
  if (type == "ByteLevel") {
    if (step["add_prefix_space"].boolean_or(true))
      step["add_prefix_space"].refuse("GGUF's byte-level tokenizers put no space before a text");
    return step["use_regex"].boolean_or(true) ? "ByteLevel of words" : "ByteLevel";
  }
  if (type == "Digits") return step["individual_digits"].boolean_or(false) ? "Digits alone" : "Digits";
  if (type == "Punctuation") return concat("Punctuation ", step["behavior"].string_or("Isolated"));
  if (type == "Split") {
    const JsonNode pattern = step["pattern"]["Regex"];
    if (pattern.is_null()) step["pattern"].refuse("GGUF has no name for a split at a text");
    return concat(step["behavior"].string_or("Isolated"),
                  step["invert"].boolean_or(false) ? " inverted " : " ", pattern.string());
  }
  step.refuse(concat("GGUF has no name for a tokenizer with ", quoted_name(type)));
}

using Steps = std::vector<std::string>;

[[nodiscard]] Steps described_all(const JsonNode& pre_tokenizer) {
  if (pre_tokenizer["type"].string() != "Sequence") return {described(pre_tokenizer)};
  Steps steps;
  pre_tokenizer["pretokenizers"].for_each_element(
      [&](const JsonNode& step) { steps.push_back(described(step)); });
  return steps;
}

struct Known {
  Steps steps;
  std::string_view name;
  bool ignore_merges = false;  // readers of GGUF do so for that name
};

[[nodiscard]] std::string isolated(std::string_view pattern) {
  return concat("Isolated ", pattern);
}

[[nodiscard]] std::vector<Known> known_pre_tokenizers() {
  constexpr std::string_view kThreeDigits = "[0-9][0-9][0-9]";
  const std::string words = "ByteLevel of words";
  const std::string bytes = "ByteLevel";
  const std::string digits = "Digits alone";
  return {
      {{words}, "gpt-2"},
      {{isolated(kGpt2Pattern), bytes}, "gpt-2"},
      {{isolated(kLlama3Pattern), bytes}, "llama-bpe", true},
      {{isolated(kLlama3Pattern), bytes}, "dbrx"},
      {{isolated(kQwen2Pattern), bytes}, "qwen2"},
      {{digits, words}, "starcoder"},
      {{isolated("[\r\n]"), isolated(kAlphabetPattern), isolated(kAsianPunctuationPattern),
        isolated(R"(\s+$)"), isolated(kCjkPattern), digits, bytes},
       "deepseek-llm"},
      {{isolated("[\r\n]"), isolated(R"(\s?\p{L}+)"), isolated(R"(\s?\p{P}+)"), isolated(kCjkPattern), digits,
        bytes},
       "deepseek-coder"},
      {{isolated(R"(\p{N}{1,3})"), isolated(kDeepSeek3CjkPattern), isolated(kDeepSeek3Pattern), bytes},
       "deepseek-v3"},
      {{"Punctuation Contiguous", words, "Digits", isolated(kThreeDigits)}, "falcon"},
      {{isolated(R"([\p{P}\$\+<=>\^~\|]+)"), isolated(kGpt2Pattern), isolated(R"(\p{N}+)"),
        isolated(kThreeDigits), bytes},
       "default"},
      {{isolated(kGpt4oPattern), bytes}, "gpt-4o"},
      {{isolated(kTekkenPattern), bytes}, "tekken", true},
  };
}

[[nodiscard]] std::string joined(const Steps& steps) {
  std::string text;
  for (const std::string& step : steps) text += (text.empty() ? "" : ", ") + step;
  return text;
}

void check_normalizer(const JsonNode& normalizer, std::vector<std::string>& notes) {
  if (normalizer.is_null()) return;
  const std::string& type = normalizer["type"].string();
  if (type == "Sequence") {
    normalizer["normalizers"].for_each_element([&](const JsonNode& step) { check_normalizer(step, notes); });
  } else if (type == "NFC") {
    notes.emplace_back("tokenizer.json composes accents (NFC) before anything else; GGUF does not say so");
  } else {
    normalizer.refuse(concat("GGUF's byte-level tokenizers have no normalizer ", quoted_name(type)));
  }
}

}  // namespace

void export_byte_level(const JsonNode& root, Metadata& into, std::vector<std::string>& notes) {
  check_normalizer(root["normalizer"], notes);
  const JsonNode pre_tokenizer = root["pre_tokenizer"];
  const JsonNode model = root["model"];
  const Steps steps = described_all(pre_tokenizer);
  const bool ignore_merges = model["ignore_merges"].boolean_or(false);
  std::string name;
  for (const Known& known : known_pre_tokenizers())
    if (known.steps == steps && known.ignore_merges == ignore_merges && name.empty()) name = known.name;
  if (name.empty()) {
    pre_tokenizer.refuse(concat("GGUF has no name for words cut by ", quoted_name(joined(steps)),
                                ignore_merges ? " with ignore_merges" : "",
                                "; another one would give other tokens"));
  }
  into.set("tokenizer.ggml.model", std::string("gpt2"));
  into.set("tokenizer.ggml.pre", name);
  std::vector<std::string> merges;
  for (const auto& [left, right] : read_merges(model["merges"])) {
    if (left.find(' ') != std::string_view::npos || right.find(' ') != std::string_view::npos)
      model["merges"].refuse("a symbol has a space in it");
    merges.push_back(concat(left, " ", right));
  }
  into.set("tokenizer.ggml.merges", MetadataArray(StringArray(std::move(merges))));
}

}  // namespace linnet
