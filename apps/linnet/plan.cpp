// linnet plan: what a model will need, before anything is loaded.
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "flags.h"
#include "hub_model.h"
#include "json_text.h"
#include "output.h"
#include "runtime/memory_plan.h"
#include "verbs.h"

namespace linnet::cli {
namespace {

constexpr const char* kPlanExamples = R"(Examples:
  linnet plan model.gguf
  linnet plan model.gguf --context 32768 --kv f16
  linnet plan model.gguf --device cpu --json

Only the headers of the files are read. The exit code is 5 if the model does not fit.)";

struct PlanFlags {
  DeviceFlags device;
  ModelFlags model;
  uint32_t slots = 1;
  bool json = false;
};

std::string to_json(const v0::MemoryPlan& plan, const v0::DeviceInfo& device) {
  const nlohmann::ordered_json json = {
      {"device", device.backend}, {"context", plan.context}, {"slots", plan.slots},
      {"weights", plan.weights},  {"kv", plan.kv},           {"scratch", plan.scratch},
      {"other", plan.other},      {"total", plan.total},     {"available", plan.available},
      {"fits", plan.fits}};
  return json_text(json);
}

std::string to_text(const v0::MemoryPlan& plan, const v0::DeviceInfo& device) {
  const std::vector<std::vector<std::string>> rows = {
      {"weights", readable_bytes(plan.weights), ""},
      {"keys and values", readable_bytes(plan.kv),
       concat("context of ", plan.context, " tokens, ", plan.slots, plan.slots == 1 ? " slot" : " slots")},
      {"scratch", readable_bytes(plan.scratch), ""},
      {"other", readable_bytes(plan.other), "logits, tables, vocabulary, loaded code, the process itself"},
      {"total", readable_bytes(plan.total), ""},
      {"free", readable_bytes(plan.available), concat("on ", device.backend, " (", device.name, ")")},
  };
  return table(rows, "lrl") + (plan.fits ? "fits\n" : "does not fit\n");
}

int plan(const PlanFlags& flags) {
  const v0::Device device = flags.device.open_public();
  v0::TextOptions options = flags.model.public_options();
  options.slots = flags.slots;
  const v0::MemoryPlan plan = v0::plan(local_model(flags.model.model), device, options);
  print(flags.json ? to_json(plan, device.info()) : to_text(plan, device.info()));
  if (plan.fits) return 0;
  fail(ErrorKind::does_not_fit, "the model needs ", readable_bytes(plan.total), " and ",
       readable_bytes(plan.available),
       " are free; try a smaller --context, --kv f16 or a quantized model ('linnet quantize')");
}

}  // namespace

void add_plan(CLI::App& program, Action& action) {
  CLI::App& verb = *program.add_subcommand("plan", "state the memory that a model needs, without loading it");
  PlanFlags& flags = add_verb<PlanFlags>(verb, action, plan);
  verb.footer(kPlanExamples);
  flags.model.add_file_to(verb);
  flags.model.add_memory_to(verb);
  verb.add_option("--slots", flags.slots, "sequences there is room for")
      ->check(quiet(CLI::PositiveNumber))
      ->type_name("N");
  flags.device.add_to(verb);
  verb.add_flag("--json", flags.json, "print one object");
}

}  // namespace linnet::cli
