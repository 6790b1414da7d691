// linnet run: generates text.
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.h"
#include "flags.h"
#include "hub_model.h"
#include "interrupt.h"
#include "output.h"
#include "progress.h"
#include "require_device.h"
#include "verbs.h"

namespace linnet::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  linnet run -m model.gguf "What is the capital of France?"
  linnet run -m model.gguf "Once upon a time" --temperature 0.8 --top-p 0.95 --seed 7 -n 200
  echo "Hello" | linnet run -m model.gguf --receipt --require-device cpu

The text is greedy (always the likeliest token) unless --temperature is given; the same seed gives the same text on every
run. Without PROMPT, or with '-', the prompt is read from stdin. Ctrl-C stops; what was generated stays.)";

struct Flags {
  DeviceFlags device;
  ModelFlags model;
  std::string prompt;
  v0::GenerateOptions generate;
  std::string require_device;
  bool receipt = false;
  bool json = false;
  bool verbose = false;
};

v0::TextModel load(const Flags& flags) {
  const v0::Device device = flags.device.open_public();
  ProgressBar bar("loading");
  v0::TextOptions options = flags.model.public_options();
  options.progress = [&](size_t done, size_t total) {
    bar.show(done, total);
    return !interrupted();
  };
  return v0::TextModel::load(local_model(flags.model.model), device, options);
}

std::string statistics_line(const v0::GenerateStatistics& statistics) {
  return concat("prompt: ", statistics.prompt_tokens, " tokens, ", fixed(statistics.prompt_speed(), 1),
                " tokens/s; generated: ", statistics.generated_tokens, " tokens, ",
                fixed(statistics.decode_speed(), 1), " tokens/s; first token after ",
                fixed(statistics.first_token_seconds * 1e3, 1), " ms\n");
}

nlohmann::ordered_json to_json(const Flags& flags, const v0::Generated& generated,
                               const v0::Receipt& receipt) {
  const v0::GenerateStatistics& statistics = generated.statistics;
  return {{"model", flags.model.model},
          {"text", generated.text},
          {"tokens", generated.tokens},
          {"finish_reason", v0::to_string(generated.finish_reason)},
          {"stop_string", generated.stop_string},
          {"prompt_tokens", statistics.prompt_tokens},
          {"generated_tokens", statistics.generated_tokens},
          {"timings",
           {{"first_token_seconds", statistics.first_token_seconds},
            {"prompt_seconds", statistics.prompt_seconds},
            {"prompt_tokens_per_second", statistics.prompt_speed()},
            {"decode_seconds", statistics.decode_seconds},
            {"decode_tokens_per_second", statistics.decode_speed()}}},
          {"receipt", nlohmann::ordered_json::parse(receipt.to_json())}};
}

int run(const Flags& flags) {
  if (!flags.require_device.empty()) check_backend_name(flags.require_device);
  const std::string prompt = text_or_stdin(flags.prompt, "prompt");
  catch_interrupt();
  v0::TextModel model = load(flags);
  v0::GenerateOptions options = flags.generate;
  options.cancelled = interrupted;
  const v0::Generated generated = model.generate(prompt, options, [&](std::string_view piece) {
    if (!flags.json) print(piece);
    return !interrupted();
  });

  const v0::Receipt& receipt = model.last_receipt();
  if (flags.json) {
    print(to_json(flags, generated, receipt).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
          "\n");
  } else if (!generated.text.ends_with('\n')) {
    print("\n");
  }
  if (flags.receipt) print_error(concat(receipt, statistics_line(generated.statistics)));
  if (flags.verbose && !flags.receipt) print_error(statistics_line(generated.statistics));
  if (generated.finish_reason == v0::FinishReason::context) {
    print_error(
        concat("linnet: the context of ", model.context(), " tokens is full; --context sets another\n"));
  }
  if (generated.finish_reason == v0::FinishReason::cancelled && interrupted()) {
    fail(ErrorKind::interrupted, "interrupted");
  }
  if (!flags.require_device.empty()) require_device(receipt, flags.require_device);
  return 0;
}

}  // namespace

void add_run(CLI::App& program, Action& action) {
  CLI::App& verb = *program.add_subcommand("run", "generate text from a prompt");
  Flags& flags = add_verb<Flags>(verb, action, run);
  verb.footer(kExamples);
  verb.add_option("PROMPT", flags.prompt, "the text to go on from; '-' or nothing: stdin")->type_name("");
  flags.model.add_model_to(verb);
  verb.add_option("-n,--max-tokens", flags.generate.max_tokens,
                  "tokens to generate at most; by default until the model ends or the context is full")
      ->check(quiet(CLI::PositiveNumber))
      ->type_name("N");
  verb.add_option("--temperature", flags.generate.temperature, "0: greedy; higher: more varied")
      ->check(quiet(CLI::NonNegativeNumber))
      ->type_name("X");
  verb.add_option("--top-k", flags.generate.top_k, "draw from the K likeliest tokens only; 0: all")
      ->check(quiet(CLI::NonNegativeNumber))
      ->type_name("K");
  verb.add_option("--top-p", flags.generate.top_p,
                  "draw from the likeliest tokens whose probabilities reach P")
      ->check(quiet(CLI::Range(0.0, 1.0)))
      ->type_name("P");
  verb.add_option("--seed", flags.generate.seed, "of the draws")
      ->check(quiet(CLI::NonNegativeNumber))
      ->type_name("N");
  verb.add_option("--stop", flags.generate.stop,
                  "end the text before this string; may be given several times")
      ->type_name("TEXT")
      ->take_all()
      ->expected(1)
      ->allow_extra_args(false);
  flags.model.add_memory_to(verb);
  flags.device.add_to(verb);
  verb.add_option("--require-device", flags.require_device,
                  "fail if the receipt shows that anything ran elsewhere")
      ->type_name("NAME");
  verb.add_flag("--receipt", flags.receipt, "print what ran where, how often and how long, to stderr");
  verb.add_flag("--json", flags.json, "print one object at the end instead of streaming");
  verb.add_flag("-v,--verbose", flags.verbose, "print tokens per second to stderr");
}

}  // namespace linnet::cli
