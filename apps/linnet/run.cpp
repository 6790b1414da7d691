// linnet run: generates text, from one prompt, from many, or in a conversation.
#include <unistd.h>

#include "base/error.h"
#include "chat.h"
#include "hub_model.h"
#include "interrupt.h"
#include "json_text.h"
#include "line_reader.h"
#include "output.h"
#include "progress.h"
#include "require_device.h"
#include "run_flags.h"
#include "run_report.h"
#include "verbs.h"

namespace linnet::cli {
namespace {

constexpr const char* kRunExamples = R"(Examples:
  linnet run "What is the capital of France?"
  linnet run                                               (on a terminal: a chat)
  linnet run -m model.gguf "Tell me a story." --temperature 0.8 --top-p 0.95 --seed 7 -n 200
  linnet run -m model.gguf --raw "Once upon a time"
  echo "Hello" | linnet run -m model.gguf --receipt --require-device cpu
  linnet run --lines --json < questions.txt                (one answer a line)

Without -m the small model that comes with Linnet answers. Where a model brings a chat template, the prompt is a user's
message in it; --raw, or a model without one, goes on from the prompt itself. The text is greedy (always the likeliest
token) unless --temperature is given; the same seed gives the same text on every run. Ctrl-C stops; what was generated
stays.)";

v0::TextModel load(const RunFlags& flags) {
  const v0::Device device = flags.device.open_public();
  ProgressBar bar("loading");
  v0::TextOptions options = flags.model.public_options();
  options.progress = [&](size_t done, size_t total) {
    bar.show(done, total);
    return !interrupted();
  };
  return v0::TextModel::load(local_model(flags.model.model), device, options);
}

// True iff prompts go through the model's chat template.
bool uses_template(const RunFlags& flags, const v0::TextModel& model) {
  if (flags.raw) return false;
  if (model.has_chat_template()) return true;
  if (!flags.system.empty()) fail(ErrorKind::usage, "--system: the model has no chat template to put it in");
  return false;
}

v0::Generated generate(const RunFlags& flags, v0::TextModel& model, const std::string& prompt) {
  v0::GenerateOptions options = flags.generate;
  options.cancelled = interrupted;
  const auto on_text = [&](std::string_view piece) {
    if (!flags.json) print(piece);
    return !interrupted();
  };
  if (!uses_template(flags, model)) return model.generate(prompt, options, on_text);
  std::vector<v0::Message> messages;
  if (!flags.system.empty()) messages.push_back({"system", flags.system});
  messages.push_back({"user", prompt});
  return model.chat(messages, options, on_text);
}

int answer(const RunFlags& flags) {
  const std::string prompt = text_or_stdin(flags.prompt, "prompt");
  if (prompt.empty()) fail(ErrorKind::usage, "prompt: expected some text, got none");
  catch_interrupt();
  v0::TextModel model = load(flags);
  const v0::Generated generated = generate(flags, model, prompt);
  const v0::Receipt& receipt = model.last_receipt();
  if (flags.json) {
    print(json_text(to_json(flags, generated, receipt)));
  } else if (!generated.text.ends_with('\n')) {
    print("\n");
  }
  report(flags, model, generated);
  if (generated.finish_reason == v0::FinishReason::cancelled && interrupted()) {
    fail(ErrorKind::interrupted, "interrupted");
  }
  if (!flags.require_device.empty()) require_device(receipt, flags.require_device);
  return 0;
}

// Every line of stdin is a prompt of its own; the model is loaded once.
int answer_lines(const RunFlags& flags) {
  if (flags.prompt && *flags.prompt != "-")
    fail(ErrorKind::usage, "--lines: the prompts come from stdin, but one is given as an argument");
  catch_interrupt();
  v0::TextModel model = load(flags);
  LineReader lines(STDIN_FILENO);
  while (const std::optional<std::string> prompt = lines.next()) {
    if (prompt->empty()) continue;
    const v0::Generated generated = generate(flags, model, *prompt);
    const v0::Receipt& receipt = model.last_receipt();
    if (flags.json) {
      print(json_line(to_json(flags, generated, receipt)));
    }
    print("\n");
    report(flags, model, generated);
    if (interrupted()) fail(ErrorKind::interrupted, "interrupted");
    if (!flags.require_device.empty()) require_device(receipt, flags.require_device);
  }
  return 0;
}

int chat(const RunFlags& flags) {
  if (flags.raw || flags.json)
    fail(ErrorKind::usage, "no prompt: a chat takes neither --raw nor --json; give a prompt, or pipe it in");
  catch_interrupt();
  v0::TextModel model = load(flags);
  if (!model.has_chat_template())
    fail(ErrorKind::usage,
         "no prompt: the model has no chat template to chat with; give a prompt, or pipe it in");
  return Chat(flags, model).run();
}

int run(const RunFlags& flags) {
  if (!flags.require_device.empty()) check_backend_name(flags.require_device);
  if (flags.raw && !flags.system.empty())
    fail(ErrorKind::usage, "--system is part of a chat template, which --raw leaves out");
  if (flags.lines) return answer_lines(flags);
  return !flags.prompt && stdin_is_terminal() ? chat(flags) : answer(flags);
}

}  // namespace

void add_run(CLI::App& program, Action& action) {
  CLI::App& verb = *program.add_subcommand("run", "answer a prompt, or chat");
  auto& flags = add_verb<RunFlags>(verb, action, run);
  verb.footer(kRunExamples);
  verb.add_option(
          "PROMPT", flags.prompt,
          "the text to answer; '-': stdin as it is; nothing: stdin without its last newline, or a chat "
          "where that is a terminal")
      ->type_name("");
  flags.model.model = kBuiltinModel;
  flags.model.add_model_to(verb)->required(false)->capture_default_str();
  verb.add_option("--system", flags.system, "a system message before the first one")->type_name("TEXT");
  verb.add_flag("--raw", flags.raw, "go on from the prompt as it stands, without the model's chat template");
  verb.add_flag("--lines", flags.lines,
                "every line of stdin is a prompt of its own; with --json one object a line");
  verb.add_option("-n,--max-tokens", flags.generate.max_tokens,
                  "tokens to generate at most; by default until the model ends or the context is full")
      ->check(quiet(CLI::PositiveNumber))
      ->type_name("N");
  add_sampling_to(verb, flags.generate);
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
  verb.add_flag("--summary", flags.summary, "the same in a few lines");
  verb.add_flag("--json", flags.json, "print one object at the end instead of streaming");
  verb.add_flag("-v,--verbose", flags.verbose, "print tokens per second to stderr");
}

}  // namespace linnet::cli
