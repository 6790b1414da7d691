// linnet bench text: tokens per second of the tokenizer, of prompt and of answer, and what share of the
// memory's bandwidth decode uses.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/mapped_file.h"
#include "base/thread_pool.h"
#include "bench_tokenizer.h"
#include "check/bandwidth.h"
#include "english_text.h"
#include "files/model_files.h"
#include "flags.h"
#include "hub_model.h"
#include "interrupt.h"
#include "output.h"
#include "runtime/text_model.h"
#include "tasks/generate.h"
#include "text/model_tokenizer.h"
#include "verbs.h"

namespace linnet::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  linnet bench text -m model.gguf
  linnet bench text -m model.gguf -p 512 -n 128 -r 5 --threads 2
  linnet bench text -m model.gguf --json
  linnet bench text -m vocabulary.gguf --text book.txt

Tokenize: a megabyte of made-up English, or --text, at once on one thread, by processor time. Where -m has no weights to run (a vocabulary alone,
a Hugging Face folder) this is all that is measured. Prompt: -p tokens are read at once. Decode: -n tokens, one after the other, from an empty context. Medians of -r runs after
one that does not count. Bytes per token are counted by the kernels; the bandwidth is measured in the same run, by reading
memory in several ways of which the best counts.)";

constexpr uint32_t kPromptTokens = 512;
constexpr uint32_t kGeneratedTokens = 128;
constexpr size_t kEnglishBytes = size_t{1} << 20;

struct Flags {
  DeviceFlags device;
  ModelFlags model;
  uint32_t prompt = 0;  // 0: the default, or what the context has room for
  uint32_t generate = 0;
  unsigned repetitions = 5;
  std::string text;  // a file to tokenize; empty: the made-up English
  bool json = false;
};

struct ModelSpeeds {
  std::string device;
  uint32_t prompt_tokens = 0;
  uint32_t generated_tokens = 0;
  std::vector<double> prompt;  // tokens per second, one for each repetition
  std::vector<double> decode;
  double bytes_per_token = 0;
  Bandwidth bandwidth;

  [[nodiscard]] double bytes_per_second() const;
  [[nodiscard]] double share() const { return bytes_per_second() / bandwidth.best(); }
};

struct Speeds {
  TokenizerSpeed tokenizer;
  std::optional<ModelSpeeds> model;  // nothing where there are no weights
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double ModelSpeeds::bytes_per_second() const {
  return bytes_per_token * median(decode);
}

// Any text would do: the tokens of the vocabulary one after the other, without those that are no text.
std::vector<Token> some_tokens(const Tokenizer& tokenizer, uint32_t count) {
  std::vector<Token> text;
  for (size_t token = 0; token < tokenizer.size() && text.size() < count; ++token) {
    if (!tokenizer.is_control(static_cast<Token>(token))) text.push_back(static_cast<Token>(token));
  }
  if (text.empty()) fail(ErrorKind::model, "the vocabulary has no text");
  std::vector<Token> tokens(count);
  for (uint32_t i = 0; i < count; ++i) tokens[i] = text[i % text.size()];
  return tokens;
}

GenerateStatistics generate(TextModel& model, const Tokenizer& tokenizer, std::vector<Token> prompt,
                            uint32_t tokens) {
  GenerateOptions options;
  options.max_tokens = tokens;
  options.ignore_end = true;
  Generation generation(model, tokenizer, std::move(prompt), options,
                        [](std::string_view) { return !interrupted(); });
  if (run_to_end(generation, model.device()) == FinishReason::cancelled)
    fail(ErrorKind::interrupted, "interrupted");
  return generation.statistics();
}

// Tokens to measure with: what was asked for, which must fit beside one more; or the default, cut to what
// fits.
uint32_t chosen(uint32_t asked, uint32_t otherwise, const TextModel& model, std::string_view name) {
  if (asked == 0) return std::min(otherwise, model.context() - 1);
  if (asked < model.context()) return asked;
  fail(ErrorKind::usage, name, " ", asked, " needs a context of ", asked + 1, " tokens, which has ",
       model.context(), "; give a smaller one, or a larger --context");
}

TokenizerSpeed tokenizer_speed(const Flags& flags, const Tokenizer& tokenizer) {
  if (flags.text.empty()) return measure_tokenizer(tokenizer, english_text(kEnglishBytes), flags.repetitions);
  const MappedFile file(flags.text);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  TokenizerSpeed speed = measure_tokenizer(tokenizer, text, flags.repetitions);
  if (speed.tokens == 0) fail(ErrorKind::usage, flags.text, " has no tokens to measure with");
  return speed;
}

ModelSpeeds measure_model(const Flags& flags, const Tokenizer& tokenizer, ModelFiles files) {
  const std::unique_ptr<Device> device = flags.device.open();
  const TextModelOptions options = flags.model.options(*device);
  TextModel model(std::move(files), *device, options);
  const uint32_t prompt_tokens = chosen(flags.prompt, kPromptTokens, model, "-p");
  const uint32_t generated_tokens = chosen(flags.generate, kGeneratedTokens, model, "-n");
  const DeviceInfo info = device->info();
  ModelSpeeds speeds{.device = concat(info.backend, ": ", info.name, " (", info.detail, ")"),
                     .prompt_tokens = prompt_tokens,
                     .generated_tokens = generated_tokens,
                     .prompt = {},
                     .decode = {},
                     .bandwidth = {}};
  for (unsigned i = 0; i <= flags.repetitions; ++i) {  // the first one warms up
    const GenerateStatistics prompt = generate(model, tokenizer, some_tokens(tokenizer, prompt_tokens), 1);
    const Receipt before = device->receipt();
    const GenerateStatistics decode = generate(model, tokenizer, some_tokens(tokenizer, 1), generated_tokens);
    const Receipt used = device->receipt().since(before);
    if (i == 0) continue;
    speeds.prompt.push_back(prompt.prompt_speed());
    speeds.decode.push_back(decode.decode_speed());
    // The prompt of one token is a step like the others.
    speeds.bytes_per_token = static_cast<double>(used.bytes()) / generated_tokens;
  }
  speeds.bandwidth = measure_bandwidth(*device, {.threads = flags.device.threads});
  return speeds;
}

Speeds measure(const Flags& flags) {
  const std::filesystem::path path = local_model(flags.model.model);
  // A folder may hold a tokenizer alone, and a model may be one that this version does not run.
  if (std::filesystem::exists(path / "tokenizer.json") && !std::filesystem::exists(path / "config.json"))
    return {tokenizer_speed(flags, *open_tokenizer(path)), std::nullopt};
  ModelFiles files = open_model(path);
  const std::unique_ptr<Tokenizer> tokenizer = make_tokenizer(files);
  Speeds speeds{tokenizer_speed(flags, *tokenizer), std::nullopt};
  if (!files.tensors.tensors().empty() && is_llama(files))
    speeds.model = measure_model(flags, *tokenizer, std::move(files));
  return speeds;
}

// One line of the table.
std::vector<std::string> row(std::string_view what, size_t tokens, const std::vector<double>& speeds) {
  const auto [low, high] = std::ranges::minmax(speeds);
  return {std::string(what), concat(tokens), fixed(median(speeds), 1),
          concat(fixed(low, 1), " to ", fixed(high, 1))};
}

std::string to_text(const TokenizerSpeed& speed, const Flags& flags) {
  const double bytes_per_second =
      median(speed.runs) * static_cast<double>(speed.bytes) / static_cast<double>(speed.tokens);
  return concat("tokenizer: ", speed.kind, " on one thread, ", speed.bytes, " bytes of ",
                flags.text.empty() ? "made-up English" : flags.text, ": ",
                fixed(median(speed.runs) * 1e-6, 2), " million tokens/s, ", fixed(bytes_per_second * 1e-6, 1),
                " MB/s\n");
}

std::string to_text(const ModelSpeeds& speeds) {
  std::vector<std::vector<std::string>> reading = {{"streams", "GB/s"}};
  for (const ReadSpeed& line : speeds.bandwidth.lines) {
    reading.push_back({concat(line.streams), fixed(line.bytes_per_second * 1e-9, 2)});
  }
  const unsigned threads = speeds.bandwidth.threads;
  const std::string who = threads == 0 ? std::string("by the device")
                                       : concat("with ", threads, threads == 1 ? " thread" : " threads");
  return concat("reading memory ", who, ":\n", table(reading, "rr"), "\ndecode reads ",
                fixed(speeds.bytes_per_token * 1e-6, 2),
                " MB per token: ", fixed(speeds.bytes_per_second() * 1e-9, 2), " GB/s, ",
                fixed(100 * speeds.share(), 1), " % of ", fixed(speeds.bandwidth.best() * 1e-9, 2),
                " GB/s\n");
}

std::string to_text(const Flags& flags, const Speeds& speeds) {
  std::vector<std::vector<std::string>> rows = {
      {"", "tokens", "tokens/s", "range"}, row("tokenize", speeds.tokenizer.tokens, speeds.tokenizer.runs)};
  const auto& model = speeds.model;
  if (model) {
    rows.push_back(row("prompt", model->prompt_tokens, model->prompt));
    rows.push_back(row("decode", model->generated_tokens, model->decode));
  }
  return concat(
      flags.model.model, model ? " on " + model->device : ": no weights to run, the tokenizer alone", "\n\n",
      table(rows, "lrrr"), "\n", to_text(speeds.tokenizer, flags), model ? "\n" + to_text(*model) : "");
}

nlohmann::ordered_json to_json(size_t tokens, const std::vector<double>& speeds) {
  return {{"tokens", tokens}, {"tokens_per_second", median(speeds)}, {"runs", speeds}};
}

void add_to(nlohmann::ordered_json& json, const ModelSpeeds& speeds) {
  nlohmann::ordered_json reading = nlohmann::ordered_json::array();
  for (const ReadSpeed& line : speeds.bandwidth.lines) {
    reading.push_back({{"streams", line.streams}, {"bytes_per_second", line.bytes_per_second}});
  }
  json["device"] = speeds.device;
  json["prompt"] = to_json(speeds.prompt_tokens, speeds.prompt);
  json["decode"] = to_json(speeds.generated_tokens, speeds.decode);
  json["bytes_per_token"] = speeds.bytes_per_token;
  json["bytes_per_second"] = speeds.bytes_per_second();
  json["bandwidth"] = {{"threads", speeds.bandwidth.threads},
                       {"best", speeds.bandwidth.best()},
                       {"readings", std::move(reading)}};
  json["share_of_bandwidth"] = speeds.share();
}

std::string to_json(const Flags& flags, const Speeds& speeds) {
  nlohmann::ordered_json json = {{"model", flags.model.model}, {"repetitions", flags.repetitions}};
  json["tokenize"] = to_json(speeds.tokenizer.tokens, speeds.tokenizer.runs);
  json["tokenize"]["kind"] = speeds.tokenizer.kind;
  json["tokenize"]["bytes"] = speeds.tokenizer.bytes;
  if (speeds.model) add_to(json, *speeds.model);
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

int bench_text(const Flags& flags) {
  catch_interrupt();
  const Speeds speeds = measure(flags);
  print(flags.json ? to_json(flags, speeds) : to_text(flags, speeds));
  return 0;
}

}  // namespace

void add_bench_text(CLI::App& bench, Action& action) {
  CLI::App& verb = *bench.add_subcommand("text", "speed of a model: tokenizer, prompt and decode");
  Flags& flags = add_verb<Flags>(verb, action, bench_text);
  verb.footer(kExamples);
  flags.model.add_model_to(verb);
  constexpr uint32_t kMost = 1u << 22;
  verb.add_option("-p,--prompt-tokens", flags.prompt,
                  "tokens of the prompt; by default 512, or what the context has room for")
      ->check(quiet(CLI::Range(1u, kMost)))
      ->type_name("N");
  verb.add_option("-n,--max-tokens", flags.generate, "tokens to generate; by default 128")
      ->check(quiet(CLI::Range(2u, kMost)))
      ->type_name("N");
  verb.add_option("-r,--repetitions", flags.repetitions, "runs that count")
      ->check(quiet(CLI::Range(1u, 1000u)))
      ->capture_default_str()
      ->type_name("N");
  verb.add_option("--text", flags.text, "what to tokenize; by default a megabyte of made-up English")
      ->type_name("FILE");
  flags.model.add_memory_to(verb);
  flags.device.add_to(verb);
  verb.add_flag("--json", flags.json, "print one object");
}

}  // namespace linnet::cli
