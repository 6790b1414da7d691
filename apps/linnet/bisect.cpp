// linnet bisect: where two devices begin to differ while they run the same model.
#include "check/bisect.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "check/forced.h"
#include "files/model_files.h"
#include "flags.h"
#include "hub_model.h"
#include "json_text.h"
#include "model_inputs.h"
#include "output.h"
#include "text/model_tokenizer.h"
#include "verbs.h"

namespace linnet::cli {
namespace {

constexpr const char* kBisectExamples = R"(Examples:
  linnet bisect -m model.gguf
  linnet bisect -m model.gguf "The quick brown fox" --device cpu --against reference
  linnet bisect -m model.gguf --threshold 0.001 --json

Two comparisons of one prompt. First, both devices run the model's own program without fusion, and every result is
compared: ‖a − b‖ / ‖b‖ grows from op to op, and the first above --threshold is named. Then every op that the device
really ran, fused as in use, is computed again by the reference from the device's own operands: errors do not add up, and
each op must lie within what rounding explains. The exit code is 1 if either finds something.)";

struct BisectFlags {
  DeviceFlags device;
  ModelFlags model;
  std::string against = kReference;
  std::string prompt = "The quick brown fox jumps over the lazy dog.";
  // 8-bit activations differ by about a hundredth from exact ones, f32 by a millionth.
  double threshold = 0.05;
  bool all = false;
  bool json = false;
};

struct Result {
  std::string device;
  std::string against;
  BisectReport report;
  ForcedReport forced;
  [[nodiscard]] bool clean() const { return !report.first_over && forced.first_failure() == nullptr; }
};

Result compare(const BisectFlags& flags) {
  const ModelFiles files = open_model(local_model(flags.model.model));
  const std::unique_ptr<Device> device = flags.device.open();
  const std::unique_ptr<Device> against = flags.device.open(flags.against);
  const std::unique_ptr<Device> reference = flags.device.open(kReference);
  std::vector<Token> tokens = make_tokenizer(files)->encode(flags.prompt);
  if (tokens.empty()) fail(ErrorKind::usage, "--prompt: expected some text, got none");

  TextModelOptions options = flags.model.options(*device);
  options.context = static_cast<uint32_t>(tokens.size());  // no more memory than the prompt needs
  options.prompt_rows = options.context;
  const TextPrograms programs = record_text_programs(files, options, *device);
  const ModelInputs inputs(files.tensors, programs, std::move(tokens));
  CompileOptions unfused = programs.compile;
  unfused.fuse = false;

  Result result{
      .device = device->info().backend, .against = against->info().backend, .report = {}, .forced = {}};
  result.report = bisect(inputs.program(), {.device = *device, .options = unfused},
                         {.device = *against, .options = unfused}, inputs, inputs.extents(), flags.threshold);
  result.forced =
      compare_forced(*device, *reference, inputs.program(), programs.compile, inputs, inputs.extents());
  return result;
}

std::vector<std::string> row_of(const ValueDifference& value) {
  return {concat(value.op_index), value.op, value.value, scientific(value.relative),
          scientific(value.largest)};
}

std::string bisect_text(const BisectFlags& flags, const Result& result) {
  std::vector<std::vector<std::string>> rows = {{"op", "", "value", "‖a−b‖/‖b‖", "largest"}};
  const auto& values = result.report.values;
  const size_t first = result.report.first_over.value_or(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    // Without --all: what leads up to the first difference, or the end.
    constexpr size_t kContext = 6;
    const size_t end = std::min(values.size(), first + 1);
    if (flags.all || (i < end && i + kContext >= end)) rows.push_back(row_of(values[i]));
  }
  const std::string verdict =
      result.report.first_over
          ? concat("first difference above ", scientific(flags.threshold), ": op ", values[first].op_index,
                   ", ", values[first].op, " → ", values[first].value)
          : concat("no value of ", values.size(), " differs by more than ", scientific(flags.threshold));
  return concat(result.device, " against ", result.against, "\n", table(rows, "rllrr"), verdict, "\n");
}

std::string forced_text(const Result& result) {
  const ForcedOp* failure = result.forced.first_failure();
  const ForcedOp* worst = result.forced.worst();
  std::string text =
      concat("\n", result.device, ", op by op on its own operands: ", result.forced.ops.size(), " ops, ");
  if (failure != nullptr) {
    return text + concat("first outside its tolerance: op ", failure->index, ", ", failure->op, ": ",
                         failure->worst, "\n");
  }
  text += "all within their tolerance";
  if (worst != nullptr)
    text += concat("; nearest to it: op ", worst->index, ", ", worst->op, ", ", fixed(worst->worst.ratio, 3));
  return text + "\n";
}

// JSON has no infinity.
nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

std::string to_json(const BisectFlags& flags, const Result& result) {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  for (const ValueDifference& value : result.report.values) {
    values.push_back({{"index", value.op_index},
                      {"op", value.op},
                      {"value", value.value},
                      {"relative", number(value.relative)},
                      {"largest", number(value.largest)}});
  }
  nlohmann::ordered_json forced = nlohmann::ordered_json::array();
  for (const ForcedOp& op : result.forced.ops) {
    forced.push_back(
        {{"index", op.index}, {"op", op.op}, {"ratio", number(op.worst.ratio)}, {"note", op.note}});
  }
  const ForcedOp* failure = result.forced.first_failure();
  nlohmann::ordered_json json = {{"device", result.device},
                                 {"against", result.against},
                                 {"threshold", flags.threshold},
                                 {"first_difference", nullptr},
                                 {"first_outside_tolerance", nullptr}};
  if (result.report.first_over) json["first_difference"] = values[*result.report.first_over];
  if (failure != nullptr) json["first_outside_tolerance"] = {{"index", failure->index}, {"op", failure->op}};
  json["values"] = std::move(values);
  json["forced"] = std::move(forced);
  return json_text(json);
}

int run_bisect(const BisectFlags& flags) {
  const Result result = compare(flags);
  print(flags.json ? to_json(flags, result) : bisect_text(flags, result) + forced_text(result));
  return result.clean() ? 0 : static_cast<int>(ErrorKind::failure);
}

}  // namespace

void add_bisect(CLI::App& program, Action& action) {
  CLI::App& verb = *program.add_subcommand("bisect", "name the first op where two devices differ on a model");
  BisectFlags& flags = add_verb<BisectFlags>(verb, action, run_bisect);
  verb.footer(kBisectExamples);
  verb.add_option("PROMPT,--prompt", flags.prompt, "the text to run")
      ->capture_default_str()
      ->type_name("TEXT");
  flags.model.add_model_to(verb);
  verb.add_option("--against", flags.against, "the device that --device is measured against")
      ->capture_default_str()
      ->type_name("NAME");
  verb.add_option("--threshold", flags.threshold, "largest relative difference that is none")
      ->check(quiet(CLI::NonNegativeNumber))
      ->capture_default_str()
      ->type_name("X");
  flags.device.add_to(verb);
  verb.add_flag("--all", flags.all, "list every value, not only those before the first difference");
  verb.add_flag("--json", flags.json, "print one object");
}

}  // namespace linnet::cli
