// chain: what a step of decode costs beyond reading its bytes, for each way of launching it on a GPU.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <nlohmann/json.hpp>

#include "backends/compiled_in.h"
#include "base/error.h"
#include "chain.h"
#include "check/bandwidth.h"
#include "device/registry.h"
#include "json_text.h"
#include "output.h"
#include "runtime/text_options.h"

namespace linnet::bench {
namespace {

constexpr const char* kFooter = R"(Examples:
  chain
  chain --shape mistral7b --format bf16,q8_0 --context 1,1024,4000
  chain --shape mistral7b --layers 4 --launching walk --json
  chain --width 8192 --heads 64 --kv-heads 8 --mlp-width 28672 --layers 8

A decoder of random weights, recorded and bound as a model is, decodes one sequence. A stage is an op that needs all of the
one before: five a layer, and the head. What it loses is (time − bytes / bandwidth) / stages, where the bytes are those of
the weights and of the keys and values that are attended to, and the bandwidth is measured first, by reading memory in
several ways of which the best counts. Time is the host's, with the lookup of a token, its rotation and greedy sampling: the
median of -r times, each the mean of -n runs in a row.

A context of 1 is the chain with as good as no attention: up to 64 runs in a row stay within the first page of the cache.

Exit codes: 0 done, 1 failure, 2 usage, 4 device not available, 5 does not fit.)";

constexpr unsigned kWarmUps = 3;  // times that do not count: clocks rise, kernels are loaded

struct Sizes {
  uint32_t layers = 0;
  uint32_t width = 0;
  uint32_t heads = 0;
  uint32_t kv_heads = 0;
  uint32_t mlp_width = 0;
  uint32_t vocabulary = 0;
};
struct NamedSizes {
  const char* name;
  Sizes sizes;
};
constexpr std::array<NamedSizes, 2> kShapes = {{
    {"tinyllama",
     {.layers = 22, .width = 2048, .heads = 32, .kv_heads = 4, .mlp_width = 5632, .vocabulary = 32000}},
    {"mistral7b",
     {.layers = 32, .width = 4096, .heads = 32, .kv_heads = 8, .mlp_width = 14336, .vocabulary = 32000}},
}};

struct Flags {
  std::string device = "cuda";
  std::string shape = "tinyllama";
  Sizes sizes;  // 0: the shape's
  std::vector<std::string> formats = {"bf16"};
  std::vector<std::string> launchings = {"walk", "graph", "kernels"};
  std::vector<uint32_t> contexts = {1, 1024};
  uint32_t runs = 32;
  unsigned repetitions = 20;
  bool json = false;

  [[nodiscard]] LlamaConfig config() const;
};

struct Measured {
  std::string format;
  std::string launching;
  bool walked = false;
  uint32_t context = 0;
  size_t stages = 0;
  double weight_bytes = 0;
  double kv_bytes = 0;               // of a run, on average
  std::vector<double> seconds = {};  // of a run; ascending

  [[nodiscard]] double median() const {
    const size_t middle = seconds.size() / 2;
    return seconds.size() % 2 != 0 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
  }
  [[nodiscard]] double bytes_per_second() const { return (weight_bytes + kv_bytes) / median(); }
  [[nodiscard]] double lost_a_stage(double bandwidth) const {
    return (median() - (weight_bytes + kv_bytes) / bandwidth) / static_cast<double>(stages);
  }
};

struct Report {
  LlamaConfig config;
  DeviceInfo device = {};
  double bandwidth = 0;
  std::vector<Measured> measured = {};
};

LlamaConfig Flags::config() const {
  const Sizes& named = std::ranges::find(kShapes, shape, &NamedSizes::name)->sizes;
  const auto chosen = [&](uint32_t Sizes::*size) { return sizes.*size != 0 ? sizes.*size : named.*size; };
  LlamaConfig config;
  config.layers = chosen(&Sizes::layers);
  config.width = chosen(&Sizes::width);
  config.heads = chosen(&Sizes::heads);
  config.kv_heads = chosen(&Sizes::kv_heads);
  config.mlp_width = chosen(&Sizes::mlp_width);
  config.vocabulary = chosen(&Sizes::vocabulary);
  if (config.heads % config.kv_heads != 0)
    fail(ErrorKind::usage, "--kv-heads: expected a divisor of ", config.heads, " heads, got ",
         config.kv_heads);
  if (config.width % (2 * config.heads) != 0)
    fail(ErrorKind::usage, "--width: expected an even number for each of ", config.heads, " heads, got ",
         config.width);
  for (const uint32_t columns : {config.width, config.mlp_width}) {
    if (columns % 32 != 0)
      fail(ErrorKind::usage, "--width, --mlp-width: expected multiples of 32, got ", columns);
  }
  config.head_width = config.width / config.heads;
  config.rope_pairs = config.head_width / 2;
  config.attention_bias = config.mlp_bias = false;
  return config;
}

// One device and one copy of the weights at a time.
void measure(const Flags& flags, const std::string& format, const std::string& launching, Report& report) {
  DeviceOptions options;
  options.launching = launching_named(launching);
  const std::unique_ptr<Device> device = open_device(compiled_in_backends(), flags.device, options).device;
  if (report.bandwidth == 0) {
    report.device = device->info();
    report.bandwidth = measure_bandwidth(*device).best();
  }
  if (cli::stderr_is_terminal()) cli::print_error(concat("chain: ", format, ", ", launching, "\n"));
  // As much room as a model has that nobody gave a context: kernels share their work by it.
  const uint32_t capacity = std::max(kDefaultContext, std::ranges::max(flags.contexts) + flags.runs - 1);
  Chain chain(*device, report.config, *format_named(format), capacity);
  for (const uint32_t context : flags.contexts) {
    for (unsigned i = 0; i < kWarmUps; ++i) static_cast<void>(chain.seconds_a_run(context, flags.runs));
    const Receipt before = device->receipt();
    Measured measured{.format = format, .launching = launching, .context = context};
    for (unsigned i = 0; i < flags.repetitions; ++i)
      measured.seconds.push_back(chain.seconds_a_run(context, flags.runs));
    std::ranges::sort(measured.seconds);
    const Receipt ran = device->receipt().since(before);
    measured.walked = ran.walked != 0 && ran.walked == ran.runs;
    measured.stages = chain.stages();
    measured.weight_bytes = static_cast<double>(chain.weight_bytes());
    measured.kv_bytes = static_cast<double>(chain.kv_bytes_a_token()) * (context + (flags.runs - 1) / 2.0);
    report.measured.push_back(std::move(measured));
  }
}

std::string to_text(const Report& report) {
  std::vector<std::vector<std::string>> rows = {{"format", "launching", "context", "stages", "weights MB",
                                                 "KV MB", "µs a run", "runs/s", "GB/s", "of memory",
                                                 "µs lost a stage"}};
  bool refused = false;
  for (const Measured& each : report.measured) {
    const bool not_walked = each.launching == "walk" && !each.walked;
    refused = refused || not_walked;
    rows.push_back({each.format, each.launching + (not_walked ? " *" : ""), concat(each.context),
                    concat(each.stages), cli::fixed(each.weight_bytes * 1e-6, 1),
                    cli::fixed(each.kv_bytes * 1e-6, 2), cli::fixed(each.median() * 1e6, 1),
                    cli::fixed(1 / each.median(), 1), cli::fixed(each.bytes_per_second() * 1e-9, 1),
                    cli::fixed(100 * each.bytes_per_second() / report.bandwidth, 1) + " %",
                    cli::fixed(each.lost_a_stage(report.bandwidth) * 1e6, 2)});
  }
  const LlamaConfig& config = report.config;
  return concat(
      report.device.backend, ": ", report.device.name, " (", report.device.detail, "); memory reads ",
      cli::fixed(report.bandwidth * 1e-9, 1), " GB/s\n", config.layers, " layers of width ", config.width,
      ", ", config.heads, " heads over ", config.kv_heads, ", MLP ", config.mlp_width, ", vocabulary ",
      config.vocabulary, "\n\n", cli::table(rows, "llrrrrrrrrr"),
      refused ? "\n* the walk does not take these shapes on this device: this is what ran instead\n" : "");
}

std::string to_json(const Flags& flags, const Report& report) {
  using Json = nlohmann::ordered_json;
  Json measured = Json::array();
  for (const Measured& each : report.measured) {
    measured.push_back({{"format", each.format},
                        {"launching", each.launching},
                        {"walked", each.walked},
                        {"context", each.context},
                        {"stages", each.stages},
                        {"weight_bytes", each.weight_bytes},
                        {"kv_bytes", each.kv_bytes},
                        {"seconds", each.median()},
                        {"all_seconds", each.seconds},
                        {"share_of_bandwidth", each.bytes_per_second() / report.bandwidth},
                        {"seconds_lost_a_stage", each.lost_a_stage(report.bandwidth)}});
  }
  const LlamaConfig& config = report.config;
  const Json json = {{"backend", report.device.backend},
                     {"device", report.device.name},
                     {"detail", report.device.detail},
                     {"bandwidth", report.bandwidth},
                     {"shape",
                      {{"layers", config.layers},
                       {"width", config.width},
                       {"heads", config.heads},
                       {"kv_heads", config.kv_heads},
                       {"mlp_width", config.mlp_width},
                       {"vocabulary", config.vocabulary}}},
                     {"runs_in_a_row", flags.runs},
                     {"measured", std::move(measured)}};
  return cli::json_text(json);
}

void add_options(CLI::App& program, Flags& flags) {
  const auto number = [&](const char* name, uint32_t& into, uint32_t most, const char* help) {
    program.add_option(name, into, help)->check(CLI::Range(1u, most).description(""))->type_name("N");
  };
  const auto names = [&](const char* name, auto& into, const auto& check, const char* type,
                         const char* help) {
    program.add_option(name, into, help)
        ->check(CLI::Validator(check).description(""))
        ->delimiter(',')
        ->capture_default_str()
        ->type_name(type);
  };
  std::vector<std::string> shape_names;
  for (const NamedSizes& each : kShapes) shape_names.emplace_back(each.name);
  program.add_option("--shape", flags.shape, "tinyllama or mistral7b; what follows changes one number of it")
      ->check(CLI::IsMember(shape_names).description(""))
      ->capture_default_str()
      ->type_name("NAME");
  number("--layers", flags.sizes.layers, kMostLayers, "layers; fewer load faster");
  number("--width", flags.sizes.width, kWidestRow, "of the residual stream; a head has its share of it");
  number("--heads", flags.sizes.heads, kMostHeads, "of queries");
  number("--kv-heads", flags.sizes.kv_heads, kMostHeads, "of keys and values");
  number("--mlp-width", flags.sizes.mlp_width, kWidestRow, "of gate and up");
  number("--vocabulary", flags.sizes.vocabulary, kLargestVocabulary, "rows of the head");
  names("--format", flags.formats, CLI::IsMember({"bf16", "q8_0"}), "LIST", "of the weights: bf16, q8_0");
  names("--launching", flags.launchings, CLI::IsMember({"walk", "graph", "kernels"}), "LIST",
        "walk (one kernel for all layers), graph (a kernel for each op, one launch), kernels (one by one)");
  names("--context", flags.contexts, CLI::Range(1u, 1u << 20), "LIST",
        "tokens that the first run attends to");
  number("-n,--runs", flags.runs, 4096, "runs in a row that are timed together (32)");
  number("-r,--repetitions", flags.repetitions, 10000, "times; the median counts (20)");
  program.add_option("--device", flags.device, "another device shows the tool at work where there is no GPU")
      ->capture_default_str()
      ->type_name("NAME");
  program.add_flag("--json", flags.json, "print one object");
}

int complain(std::string_view message, ErrorKind kind) {
  const char* hint = kind == ErrorKind::usage    ? "\nchain: 'chain --help' shows what it takes"
                     : kind == ErrorKind::device ? "\nchain: 'linnet devices' shows what can be used here"
                                                 : "";
  cli::print_error(concat("chain: ", message, hint, "\n"));
  return static_cast<int>(kind);
}

int run(int argc, char** argv) {
  CLI::App program("What a step of decode costs beyond reading its bytes, in microseconds a stage.", "chain");
  program.footer(kFooter);
  program.set_help_flag("-h,--help", "show this help");
  program.get_formatter()->column_width(34);
  Flags flags;
  add_options(program, flags);
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    cli::print(program.help());
    return 0;
  } catch (const CLI::ParseError& error) {
    return complain(error.what(), ErrorKind::usage);
  }
  Report report{.config = flags.config()};
  for (const std::string& format : flags.formats) {
    for (const std::string& launching : flags.launchings) measure(flags, format, launching, report);
  }
  cli::print(flags.json ? to_json(flags, report) : to_text(report));
  return 0;
}

}  // namespace
}  // namespace linnet::bench

int main(int argc, char** argv) {
  using namespace linnet;
  cli::open_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write()
  try {
    return bench::run(argc, argv);
  } catch (const cli::ReaderGone&) {
    return 0;
  } catch (const Error& error) {
    return bench::complain(error.what(), error.kind());
  } catch (const std::bad_alloc&) {
    return bench::complain("the system has no memory left", ErrorKind::does_not_fit);
  } catch (const std::exception& error) {
    return bench::complain(error.what(), ErrorKind::failure);
  }
}
