// linnet quantize: a model as a GGUF file with its weights in another format.
#include "files/quantize.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "flags.h"
#include "hub_model.h"
#include "interrupt.h"
#include "json_text.h"
#include "models/llama_gguf.h"
#include "output.h"
#include "progress.h"
#include "runtime/memory_plan.h"
#include "verbs.h"

namespace linnet::cli {
namespace {

constexpr const char* kQuantizeExamples = R"(Examples:
  linnet quantize model-f16.gguf model-q8_0.gguf
  linnet quantize model.gguf model-bf16.gguf --to bf16
  linnet quantize Llama-3.2-1B/ llama-q8_0.gguf
  linnet quantize org/repo llama-f16.gguf --to f16

IN is a GGUF file (any part of one in several parts), or a Llama model as Hugging Face lays it out: a folder with
config.json, tokenizer.json and safetensors. Matrices get the new format; norms and biases become F32. A tokenizer that
GGUF has no name for is refused (exit code 3): another one would give other tokens. OUT appears only when it is complete.)";

struct QuantizeFlags {
  std::string input;
  std::string output;
  std::string to = "q8_0";
  std::string hold;
  bool force = false;
  bool json = false;
};

void refuse_overwriting(const QuantizeFlags& flags) {
  std::error_code ignored;  // what cannot be looked at cannot be written either, and that error says more
  if (!flags.force && std::filesystem::exists(flags.output, ignored)) {
    fail(ErrorKind::usage, flags.output, " exists; --force overwrites it");
  }
}

int quantize_model(const QuantizeFlags& flags) {
  refuse_overwriting(flags);
  catch_interrupt();
  const ModelFiles model = open_model(local_model(flags.input));
  GgufModel described = describe_as_gguf(model);
  if (!flags.hold.empty()) described.contents.metadata.set("linnet.matrices", flags.hold);
  for (const std::string& note : described.notes) print_error(concat("linnet: note: ", note, "\n"));
  QuantizeProgress result;
  {
    ProgressBar bar("quantizing");
    const auto show = [&](const QuantizeProgress& progress) {
      if (interrupted()) fail(ErrorKind::interrupted, "interrupted; ", flags.output, " was not written");
      bar.show(progress.tensors_done, progress.tensors_total);
    };
    result = quantize(model.tensors, described.contents, flags.output,
                      {.target = *format_named(flags.to), .progress = show});
  }
  if (flags.json) {
    const nlohmann::ordered_json json = {{"output", flags.output},
                                         {"format", flags.to},
                                         {"tensors", result.tensors_total},
                                         {"bytes_read", result.bytes_read},
                                         {"bytes_written", result.bytes_written}};
    print(json_text(json));
  } else {
    print(concat(flags.output, ": ", result.tensors_total, " tensors, ", readable_bytes(result.bytes_read),
                 " → ", readable_bytes(result.bytes_written), " as ", flags.to, "\n"));
  }
  return 0;
}

}  // namespace

void add_quantize(CLI::App& program, Action& action) {
  CLI::App& verb =
      *program.add_subcommand("quantize", "write a model as GGUF with its weights in another format");
  QuantizeFlags& flags = add_verb<QuantizeFlags>(verb, action, quantize_model);
  verb.footer(kQuantizeExamples);
  verb.add_option("IN", flags.input,
                  "the model to read: a GGUF file, a folder, org/repo[:quant] from the cache, or 'builtin'")
      ->required()
      ->type_name("");
  verb.add_option("OUT", flags.output, "the file to write")->required()->type_name("");
  verb.add_option("--to", flags.to, "format of the matrices: q8_0, f16, bf16 or f32")
      ->check(quiet(CLI::IsMember({"q8_0", "f16", "bf16", "f32"})))
      ->capture_default_str()
      ->type_name("FORMAT");
  verb.add_option(
          "--hold", flags.hold,
          "of a small model: devices that compute in f32 hold its matrices as f32 and round nothing more")
      ->check(quiet(CLI::IsMember({"f32"})))
      ->type_name("FORMAT");
  verb.add_flag("-f,--force", flags.force, "overwrite OUT if it exists");
  verb.add_flag("--json", flags.json, "print one object at the end");
}

}  // namespace linnet::cli
