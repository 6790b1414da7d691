#include "text/pre_tokenizer_names.h"

#include <array>

#include "base/error.h"
#include "base/quoted.h"
#include "files/metadata.h"
#include "text/known_patterns.h"
#include "text/script_classes.h"
#include "text/word_scanner.h"

namespace linnet {
namespace {

enum class Family : uint8_t {
  gpt2,
  gpt_neox,
  llama3,
  qwen2,
  qwen35,
  starcoder,
  deepseek_llm,
  deepseek_coder,
  deepseek3,
  falcon,
  gpt4o,
  tekken,
  bloom,
  standard,
};

struct Name {
  std::string_view name;
  Family family;
  bool ignore_merges = false;
  bool add_bos = false;
};

constexpr std::array<Name, 44> kNames = {{
    {"default", Family::standard},
    {"gpt-2", Family::gpt2},
    {"phi-2", Family::gpt2},
    {"mpt", Family::gpt2},
    {"olmo", Family::gpt2},
    {"jais", Family::gpt2},
    {"trillion", Family::gpt2},
    {"granite-docling", Family::gpt2},
    {"jina-es", Family::gpt2},
    {"jina-de", Family::gpt2},
    {"jina-v2-es", Family::gpt2},
    {"jina-v2-de", Family::gpt2},
    {"gigachat", Family::gpt2},
    {"modern-bert", Family::gpt2},
    {"gpt-neox", Family::gpt_neox},
    {"llama-bpe", Family::llama3, true, true},
    {"llama3", Family::llama3, true, true},
    {"llama-v3", Family::llama3, true, true},
    {"falcon3", Family::llama3, true, true},
    {"falcon-h1", Family::llama3, true, true},
    {"pixtral", Family::llama3, true, true},
    {"dbrx", Family::llama3},
    {"smaug-bpe", Family::llama3},
    {"glm4", Family::llama3},
    {"chatglm-bpe", Family::llama3},
    {"qwen2", Family::qwen2},
    {"deepseek-r1-qwen", Family::qwen2},
    {"stablelm2", Family::qwen2},
    {"megrez", Family::qwen2},
    {"hunyuan", Family::qwen2},
    {"qwen35", Family::qwen35},
    {"starcoder", Family::starcoder},
    {"refact", Family::starcoder},
    {"command-r", Family::starcoder},
    {"smollm", Family::starcoder},
    {"codeshell", Family::starcoder},
    {"exaone", Family::starcoder},
    {"deepseek-llm", Family::deepseek_llm},
    {"deepseek-coder", Family::deepseek_coder},
    {"deepseek-v3", Family::deepseek3},
    {"falcon", Family::falcon},
    {"gpt-4o", Family::gpt4o},
    {"tekken", Family::tekken, true},
    {"bloom", Family::bloom},
}};

void isolate(PreTokenizer& steps, std::unique_ptr<Matcher> matcher) {
  steps.add(split_at(std::move(matcher), SplitBehavior::isolated));
}

void isolate_patterns(PreTokenizer& steps, std::initializer_list<std::string_view> patterns) {
  for (const std::string_view pattern : patterns) isolate(steps, match_pattern(pattern));
}

[[nodiscard]] PreTokenizer make_family(Family family) {
  PreTokenizer steps;
  switch (family) {
    case Family::gpt2:
    case Family::gpt_neox:
      isolate(steps, match_words(scan_gpt2));
      break;
    case Family::llama3:
      isolate(steps, match_words(scan_llama3));
      break;
    case Family::qwen2:
      isolate(steps, match_words(scan_qwen2));
      break;
    case Family::starcoder:
      isolate(steps, match_each(is_number));
      isolate(steps, match_words(scan_gpt2));
      break;
    case Family::deepseek_llm:
      isolate(steps, match_each(is_line_break));
      isolate(steps, match_runs_with_space(is_deepseek_alphabet));
      isolate(steps, match_runs_with_space(is_deepseek_punctuation));
      isolate(steps, match_pattern(R"(\s+$)"));
      isolate(steps, match_runs(is_deepseek_cjk));
      isolate(steps, match_runs(is_number));
      break;
    case Family::deepseek_coder:
      isolate(steps, match_each(is_line_break));
      isolate(steps, match_runs_with_space(is_letter));
      isolate(steps, match_runs_with_space(is_punctuation));
      isolate(steps, match_runs(is_deepseek_cjk));
      isolate(steps, match_each(is_number));
      break;
    case Family::falcon:
      isolate(steps, match_runs(is_falcon_punctuation));
      isolate(steps, match_words(scan_gpt2));
      isolate(steps, match_pattern("[0-9][0-9][0-9]"));
      break;
    case Family::standard:
      isolate(steps, match_runs(is_default_punctuation));
      isolate(steps, match_words(scan_gpt2));
      isolate(steps, match_runs(is_number));
      isolate(steps, match_pattern("[0-9][0-9][0-9]"));
      break;
    case Family::deepseek3:
      isolate_patterns(steps, {R"(\p{N}{1,3})", kDeepSeek3CjkPattern, kDeepSeek3Pattern});
      break;
    case Family::qwen35:
      isolate_patterns(steps, {kQwen35Pattern});
      break;
    case Family::gpt4o:
      isolate_patterns(steps, {kGpt4oPattern});
      break;
    case Family::tekken:
      isolate_patterns(steps, {kTekkenPattern});
      break;
    case Family::bloom:
      isolate_patterns(steps, {kBloomPattern});
      break;
  }
  return steps;
}

}  // namespace

NamedPreTokenizer make_named_pre_tokenizer(std::string_view name) {
  for (const Name& known : kNames) {
    if (known.name != name) continue;
    NamedPreTokenizer result{make_family(known.family), {}, known.ignore_merges, known.add_bos};
    if (known.family == Family::gpt_neox) result.normalizer.add(to_form(NormalForm::nfc));
    return result;
  }
  fail(ErrorKind::model, "the model's pre-tokenizer ('tokenizer.ggml.pre') is ", quoted_name(name),
       ", which this version does not know; another one would give wrong tokens");
}

}  // namespace linnet
