#include "bench_model.h"

#include <algorithm>
#include <chrono>

#include "interrupt.h"
#include "models/llama_config.h"
#include "runtime/text_model.h"

namespace linnet::cli {
namespace {

constexpr uint32_t kPromptTokens = 512;
constexpr uint32_t kGeneratedTokens = 128;
constexpr uint32_t kFewestGenerated = 2;  // one of them belongs to the prompt

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

// What is measured in which context.
struct Sizes {
  uint32_t context;
  uint32_t prompt;
  uint32_t generate;
};

// What was asked for must fit beside one more token; defaults are cut to what fits.
Sizes sizes_of(const ModelBench& bench, uint32_t context, const LlamaConfig& config) {
  const uint32_t longest = config.context_length;
  const uint32_t decoded = bench.generate != 0 || bench.depth == 0 ? bench.generate : kGeneratedTokens;
  const uint32_t wanted = std::max(bench.prompt, bench.depth + decoded) + 1;
  if (context == 0) context = std::min(longest, std::max(wanted, kDefaultContext));
  const auto require = [&](uint32_t needed, const std::string& what) {
    if (needed <= context) return;
    fail(ErrorKind::usage, what, " needs a context of ", needed, " tokens, which has ", context,
         "; give a smaller one", context < longest ? ", or a larger --context" : "",
         ": the model was made for at most ", longest);
  };
  require(bench.prompt + 1, concat("-p ", bench.prompt));
  const uint32_t least = bench.generate != 0 ? bench.generate : kFewestGenerated;
  require(bench.depth + least + 1,
          concat(bench.depth != 0 ? concat("-d ", bench.depth, " with ") : "", "-n ", least));
  return {.context = context,
          .prompt = bench.prompt != 0 ? bench.prompt : std::min(kPromptTokens, context - 1),
          .generate =
              bench.generate != 0 ? bench.generate : std::min(kGeneratedTokens, context - 1 - bench.depth)};
}

// A sleep would be longer than what is to be shown.
void spin(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

class Measurement {
 public:
  Measurement(TextModel& model, const Tokenizer& tokenizer) : model_(model), tokenizer_(tokenizer) {}

  // Runs `prompt` and then so many tokens. With `kept` it goes on from there.
  GenerateStatistics generate(std::vector<Token> prompt, uint32_t tokens, KeptSequence* kept = nullptr,
                              GenerateOptions options = {}, std::chrono::microseconds callback_delay = {}) {
    options.max_tokens = tokens;
    options.ignore_end = true;
    options.detokenize.show_control = true;  // a callback also for tokens that are no text
    callbacks_ = 0;
    Generation generation(
        model_, tokenizer_, std::move(prompt), options,
        [&](std::string_view) {
          ++callbacks_;
          spin(callback_delay);
          return !interrupted();
        },
        kept);
    if (run_to_end(generation, model_.device()) == FinishReason::cancelled)
      fail(ErrorKind::interrupted, "interrupted");
    return generation.statistics();
  }

  void prompt(const ModelBench& bench, ModelSpeeds& speeds) {
    for (unsigned i = 0; i <= bench.repetitions; ++i) {  // the first one warms up
      const GenerateStatistics run = generate(some_tokens(tokenizer_, speeds.prompt_tokens), 1);
      if (i != 0) speeds.prompt.push_back(run.prompt_speed());
    }
  }

  void decode(const ModelBench& bench, ModelSpeeds& speeds) {
    KeptSequence kept(model_);
    // All but the last of these tokens are read once, before anything is measured.
    const std::vector<Token> before = some_tokens(tokenizer_, bench.depth + 1);
    if (bench.depth != 0) generate({before.begin(), before.end() - 1}, 1, &kept);
    // The last token before is a prompt, for which a device may take more rows than one.
    const uint64_t of_prompt = bytes_of([&] { generate(before, 1, &kept, bench.drawing); });
    const uint32_t steps = speeds.generated_tokens - 1;  // two tokens are the fewest
    for (unsigned i = 0; i <= bench.repetitions; ++i) {
      GenerateStatistics run;
      const uint64_t bytes = bytes_of([&] {
        run = generate(before, speeds.generated_tokens, &kept, bench.drawing,
                       std::chrono::microseconds(bench.callback_microseconds));
      });
      if (i == 0) continue;
      speeds.decode.push_back(run.decode_speed());
      speeds.callbacks = callbacks_;
      speeds.weight_bytes = static_cast<double>(bytes - of_prompt) / steps;
    }
    // The first step that is timed has two tokens more than the depth to read, the last one all.
    speeds.kv_tokens = bench.depth + 1 + speeds.generated_tokens / 2.0;
    speeds.kv_bytes = speeds.kv_tokens * static_cast<double>(model_.kv_bytes_per_token());
  }

 private:
  // What the device touches meanwhile, but for attention.
  template <class Run>
  [[nodiscard]] uint64_t bytes_of(Run&& run) {
    const Receipt earlier = model_.device().receipt();
    run();
    const Receipt used = model_.device().receipt().since(earlier);
    uint64_t bytes = used.bytes();
    for (const ReceiptLine& line : used.lines) {
      if (line.op == "attention") bytes -= line.bytes;
    }
    return bytes;
  }

  TextModel& model_;
  const Tokenizer& tokenizer_;
  uint32_t callbacks_ = 0;  // of the last generation
};

}  // namespace

double ModelSpeeds::bytes_per_second() const {
  return bytes_per_token() * median(decode);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t middle = values.size() / 2;
  return values.size() % 2 != 0 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

ModelSpeeds measure_model(const ModelBench& bench, ModelFiles files, const Tokenizer& tokenizer,
                          Device& device, TextModelOptions options, unsigned threads) {
  const Sizes sizes = sizes_of(bench, options.context, read_llama_config(files));
  options.context = sizes.context;
  TextModel model(std::move(files), device, options);
  const DeviceInfo info = device.info();
  ModelSpeeds speeds{.device = concat(info.backend, ": ", info.name, " (", info.detail, ")"),
                     .prompt_tokens = sizes.prompt,
                     .generated_tokens = sizes.generate,
                     .prompt = {},
                     .decode = {},
                     .bandwidth = {}};
  Measurement measurement(model, tokenizer);
  measurement.prompt(bench, speeds);
  measurement.decode(bench, speeds);
  speeds.bandwidth = measure_bandwidth(device, {.threads = threads});
  return speeds;
}

}  // namespace linnet::cli
