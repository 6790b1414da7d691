#include "flags.h"

#include "backends/compiled_in.h"
#include "output.h"

namespace linnet::cli {
namespace {

// More threads than this are a slip of the finger; each takes a stack.
constexpr unsigned kMostThreads = 1024;

constexpr const char* kModelHelp =
    "the model: a GGUF file, a folder with safetensors or GGUF, org/repo[:quant] from the cache, or "
    "'builtin'";

void say(const std::string& note) {
  if (!note.empty()) print_error("linnet: " + note + "\n");
}

}  // namespace

void DeviceFlags::add_to(CLI::App& verb) {
  verb.add_option("--device", device,
                  "where to compute: auto, cpu, reference, … ('linnet devices' lists them)")
      ->capture_default_str()
      ->type_name("NAME")
      ->envname("LINNET_DEVICE");
  verb.add_option("-t,--threads", threads, "threads of the cpu device; 0: one per processor")
      ->check(quiet(CLI::Range(0u, kMostThreads)))
      ->type_name("N");
  verb.add_option("--instruction-set", instruction_set,
                  "of the cpu device, e.g. avx2; the best there is by default")
      ->type_name("NAME");
  verb.add_option(
          "--launching", launching,
          "of a GPU: walk (one kernel for all layers of a decode step, where it takes them), graph (a "
          "kernel for each op, one launch), kernels (one by one) or auto: walk for models of some "
          "size, else graph")
      ->check(quiet(CLI::IsMember({"auto", "walk", "graph", "kernels"})))
      ->type_name("HOW");
}

std::unique_ptr<Device> DeviceFlags::open(const std::string& name) const {
  OpenedDevice opened = open_device(
      compiled_in_backends(), name,
      {.threads = threads, .instruction_set = instruction_set, .launching = launching_named(launching)});
  say(opened.note);
  return std::move(opened.device);
}

std::unique_ptr<Device> DeviceFlags::open() const {
  return open(device);
}

v0::Device DeviceFlags::open_public() const {
  v0::Device opened = v0::open_device(
      device, {.threads = threads, .instruction_set = instruction_set, .launching = launching});
  say(opened.note());
  return opened;
}

CLI::Option* ModelFlags::add_model_to(CLI::App& verb) {
  return verb.add_option("-m,--model", model, kModelHelp)->required()->type_name("MODEL");
}

void ModelFlags::add_file_to(CLI::App& verb) {
  verb.add_option("MODEL,-m,--model", model, kModelHelp)->required()->type_name("");
}

void ModelFlags::add_memory_to(CLI::App& verb) {
  verb.add_option("-c,--context", context,
                  "tokens of prompt and answer together; by default the model's, at most 4096")
      ->check(quiet(CLI::PositiveNumber))
      ->type_name("N");
  verb.add_option("--kv", kv,
                  "how keys and values are kept: f32, f16 or bf16; by default what suits the device")
      ->check(quiet(CLI::IsMember({"f32", "f16", "bf16"})))
      ->type_name("FORMAT");
  verb.add_option("--activations", activations,
                  "what to compute in: f32, f16 or bf16; by default what suits the device")
      ->check(quiet(CLI::IsMember({"f32", "f16", "bf16"})))
      ->type_name("FORMAT");
}

v0::TextOptions ModelFlags::public_options() const {
  v0::TextOptions options;
  options.context = context;
  const auto named = [](const std::string& name) -> std::optional<v0::Format> {
    if (name.empty()) return {};
    return name == "f16" ? v0::Format::f16 : name == "bf16" ? v0::Format::bf16 : v0::Format::f32;
  };
  options.kv = named(kv);
  options.activations = named(activations);
  return options;
}

TextModelOptions ModelFlags::options(const Device& device) const {
  TextModelOptions options;
  options.context = context;
  if (!kv.empty() || !activations.empty()) {
    const DeviceInfo info = device.info();
    options.compile =
        CompileOptions{.activations = activations.empty() ? info.compute : *format_named(activations),
                       .kv = kv.empty() ? info.kv : *format_named(kv)};
  }
  return options;
}

std::string text_or_stdin(const std::optional<std::string>& given, std::string_view what) {
  if (given) return *given == "-" ? read_stdin() : *given;
  if (stdin_is_terminal()) fail(ErrorKind::usage, "no ", what, ": give it as an argument, or pipe it in");
  std::string text = read_stdin();
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace linnet::cli
