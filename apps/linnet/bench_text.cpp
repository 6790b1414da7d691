// linnet bench text: tokens per second of the tokenizer, of prompt and of answer, and what share of the
// memory's bandwidth decode uses.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/mapped_file.h"
#include "bench_model.h"
#include "bench_tokenizer.h"
#include "english_text.h"
#include "files/model_files.h"
#include "flags.h"
#include "hub_model.h"
#include "interrupt.h"
#include "json_text.h"
#include "models/llama_config.h"
#include "output.h"
#include "text/model_tokenizer.h"
#include "verbs.h"

namespace linnet::cli {
namespace {

constexpr const char* kBenchTextExamples = R"(Examples:
  linnet bench text -m model.gguf
  linnet bench text -m model.gguf -p 512 -n 128 -r 5 --threads 2
  linnet bench text -m model.gguf -d 8192 -n 64
  linnet bench text -m model.gguf --temperature 0.8 --top-k 40
  linnet bench text -m model.gguf --device cuda --callback-delay 300
  linnet bench text -m model.gguf --json
  linnet bench text -m vocabulary.gguf --text book.txt

Tokenize: a megabyte of made-up English, or --text, at once on one thread, by processor time. Where -m has no weights to run (a vocabulary alone,
a Hugging Face folder) this is all that is measured. Prompt: -p tokens are read at once. Decode: -n tokens, one after the other, from an empty context or after -d
tokens, which are read before and not timed; the context is then as long as that needs, unless --context says otherwise. Tokens are the
likeliest ones unless --temperature is given.
With --callback-delay the caller keeps the thread busy for that long whenever it is given text: a device that the host runs ahead of (a GPU) is not
slowed by what is shorter than a step. Medians of -r runs after one that does not count. Bytes per token are those that the kernels count, nearly all of them weights, and the keys and values
of the tokens that are in the context in the middle of decode; the bandwidth is measured in the same run, by reading
memory in several ways of which the best counts.)";

constexpr size_t kEnglishBytes = size_t{1} << 20;

struct BenchTextFlags {
  DeviceFlags device;
  ModelFlags model;
  ModelBench bench;
  std::string text;  // a file to tokenize; empty: the made-up English
  bool json = false;
};

struct Speeds {
  TokenizerSpeed tokenizer;
  std::optional<ModelSpeeds> model;  // nothing where there are no weights
};

TokenizerSpeed tokenizer_speed(const BenchTextFlags& flags, const Tokenizer& tokenizer) {
  if (flags.text.empty())
    return measure_tokenizer(tokenizer, english_text(kEnglishBytes), flags.bench.repetitions);
  const MappedFile file(flags.text);
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  TokenizerSpeed speed = measure_tokenizer(tokenizer, text, flags.bench.repetitions);
  if (speed.tokens == 0) fail(ErrorKind::usage, flags.text, " has no tokens to measure with");
  return speed;
}

Speeds measure(const BenchTextFlags& flags) {
  const std::filesystem::path path = local_model(flags.model.model);
  // A folder may hold a tokenizer alone, and a model may be one that this version does not run.
  if (std::filesystem::exists(path / "tokenizer.json") && !std::filesystem::exists(path / "config.json"))
    return {tokenizer_speed(flags, *open_tokenizer(path)), std::nullopt};
  ModelFiles files = open_model(path);
  const std::unique_ptr<Tokenizer> tokenizer = make_tokenizer(files);
  Speeds speeds{tokenizer_speed(flags, *tokenizer), std::nullopt};
  if (!files.tensors.tensors().empty() && is_llama(files)) {
    const std::unique_ptr<Device> device = flags.device.open();
    speeds.model = measure_model(flags.bench, std::move(files), *tokenizer, *device,
                                 flags.model.options(*device), flags.device.threads);
  }
  return speeds;
}

// One line of the table.
std::vector<std::string> row(std::string_view what, size_t tokens, const std::vector<double>& speeds) {
  const auto [low, high] = std::ranges::minmax(speeds);
  return {std::string(what), concat(tokens), fixed(median(speeds), 1),
          concat(fixed(low, 1), " to ", fixed(high, 1))};
}

std::string to_text(const TokenizerSpeed& speed, const BenchTextFlags& flags) {
  const double bytes_per_second =
      median(speed.runs) * static_cast<double>(speed.bytes) / static_cast<double>(speed.tokens);
  return concat("tokenizer: ", speed.kind, " on one thread, ", speed.bytes, " bytes of ",
                flags.text.empty() ? "made-up English" : flags.text, ": ",
                fixed(median(speed.runs) * 1e-6, 2), " million tokens/s, ", fixed(bytes_per_second * 1e-6, 1),
                " MB/s\n");
}

std::string to_text(const ModelBench& bench, const ModelSpeeds& speeds) {
  std::vector<std::vector<std::string>> reading = {{"streams", "GB/s"}};
  for (const ReadSpeed& line : speeds.bandwidth.lines) {
    reading.push_back({concat(line.streams), fixed(line.bytes_per_second * 1e-9, 2)});
  }
  const unsigned threads = speeds.bandwidth.threads;
  const std::string who = threads == 0 ? std::string("by the device")
                                       : concat("with ", threads, threads == 1 ? " thread" : " threads");
  return concat(
      "reading memory ", who, ":\n", table(reading, "rr"), "\ndecode reads ",
      fixed(speeds.bytes_per_token() * 1e-6, 2),
      " MB per token: ", fixed(speeds.bytes_per_second() * 1e-9, 2), " GB/s, ",
      fixed(100 * speeds.share(), 1), " % of ", fixed(speeds.bandwidth.best() * 1e-9, 2), " GB/s\nof that ",
      fixed(speeds.kv_bytes * 1e-6, 2), " MB are keys and values of ", fixed(speeds.kv_tokens, 0),
      " tokens, as there are in the middle of decode\n",
      bench.callback_microseconds == 0 ? std::string()
                                       : concat("the caller was busy for ", bench.callback_microseconds,
                                                " µs in each of ", speeds.callbacks, " callbacks\n"),
      bench.drawing.temperature > 0 ? concat("drawn with temperature ", bench.drawing.temperature, ", top-k ",
                                             bench.drawing.top_k, ", top-p ", bench.drawing.top_p, "\n")
                                    : std::string());
}

std::string to_text(const BenchTextFlags& flags, const Speeds& speeds) {
  std::vector<std::vector<std::string>> rows = {
      {"", "tokens", "tokens/s", "range"}, row("tokenize", speeds.tokenizer.tokens, speeds.tokenizer.runs)};
  const auto& model = speeds.model;
  if (model) {
    rows.push_back(row("prompt", model->prompt_tokens, model->prompt));
    const uint32_t depth = flags.bench.depth;
    rows.push_back(
        row(depth == 0 ? "decode" : concat("decode after ", depth), model->generated_tokens, model->decode));
  }
  return concat(flags.model.model,
                model ? " on " + model->device : ": no weights to run, the tokenizer alone", "\n\n",
                table(rows, "lrrr"), "\n", to_text(speeds.tokenizer, flags),
                model ? "\n" + to_text(flags.bench, *model) : "");
}

nlohmann::ordered_json to_json(size_t tokens, const std::vector<double>& speeds) {
  return {{"tokens", tokens}, {"tokens_per_second", median(speeds)}, {"runs", speeds}};
}

void add_to(nlohmann::ordered_json& json, const ModelBench& bench, const ModelSpeeds& speeds) {
  nlohmann::ordered_json reading = nlohmann::ordered_json::array();
  for (const ReadSpeed& line : speeds.bandwidth.lines) {
    reading.push_back({{"streams", line.streams}, {"bytes_per_second", line.bytes_per_second}});
  }
  json["device"] = speeds.device;
  json["prompt"] = to_json(speeds.prompt_tokens, speeds.prompt);
  json["decode"] = to_json(speeds.generated_tokens, speeds.decode);
  json["decode"]["depth"] = bench.depth;
  json["decode"]["callback_delay_microseconds"] = bench.callback_microseconds;
  json["decode"]["callbacks"] = speeds.callbacks;
  json["decode"]["temperature"] = bench.drawing.temperature;
  json["decode"]["top_k"] = bench.drawing.top_k;
  json["decode"]["top_p"] = bench.drawing.top_p;
  json["bytes_per_token"] = speeds.bytes_per_token();
  json["weight_bytes_per_token"] = speeds.weight_bytes;
  json["kv_bytes_per_token"] = speeds.kv_bytes;
  json["bytes_per_second"] = speeds.bytes_per_second();
  json["bandwidth"] = {{"threads", speeds.bandwidth.threads},
                       {"best", speeds.bandwidth.best()},
                       {"readings", std::move(reading)}};
  json["share_of_bandwidth"] = speeds.share();
}

std::string to_json(const BenchTextFlags& flags, const Speeds& speeds) {
  nlohmann::ordered_json json = {{"model", flags.model.model}, {"repetitions", flags.bench.repetitions}};
  json["tokenize"] = to_json(speeds.tokenizer.tokens, speeds.tokenizer.runs);
  json["tokenize"]["kind"] = speeds.tokenizer.kind;
  json["tokenize"]["bytes"] = speeds.tokenizer.bytes;
  if (speeds.model) add_to(json, flags.bench, *speeds.model);
  return json_text(json);
}

int bench_text(const BenchTextFlags& flags) {
  catch_interrupt();
  const Speeds speeds = measure(flags);
  print(flags.json ? to_json(flags, speeds) : to_text(flags, speeds));
  return 0;
}

}  // namespace

void add_bench_text(CLI::App& bench, Action& action) {
  CLI::App& verb = *bench.add_subcommand("text", "speed of a model: tokenizer, prompt and decode");
  BenchTextFlags& flags = add_verb<BenchTextFlags>(verb, action, bench_text);
  verb.footer(kBenchTextExamples);
  flags.model.add_model_to(verb);
  constexpr uint32_t kMost = 1u << 22;
  verb.add_option("-p,--prompt-tokens", flags.bench.prompt,
                  "tokens of the prompt; by default 512, or what the context has room for")
      ->check(quiet(CLI::Range(1u, kMost)))
      ->type_name("N");
  verb.add_option("-n,--max-tokens", flags.bench.generate, "tokens to generate; by default 128")
      ->check(quiet(CLI::Range(2u, kMost)))
      ->type_name("N");
  verb.add_option("-d,--depth", flags.bench.depth,
                  "tokens that are in the context before decode begins; by default none")
      ->check(quiet(CLI::Range(0u, kMost)))
      ->type_name("N");
  constexpr uint32_t kLongestCallback = 1'000'000;
  verb.add_option("--callback-delay", flags.bench.callback_microseconds,
                  "how long the caller is busy with each piece of text of decode; by default not at all")
      ->check(quiet(CLI::Range(0u, kLongestCallback)))
      ->type_name("MICROSECONDS");
  add_sampling_to(verb, flags.bench.drawing);
  verb.add_option("-r,--repetitions", flags.bench.repetitions, "runs that count")
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
