#include "runtime/memory_plan.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "base/error.h"
#include "program/recorder.h"

namespace linnet {
namespace {

struct StateBytes {
  size_t kv = 0;
  size_t all = 0;
};

// A program of nothing but the shared values, so that the device counts each once.
StateBytes state_bytes(const TextPrograms& programs, const Device& device) {
  Recorder recorder;
  StateBytes bytes;
  for (const ValueInfo& value : programs.shared_values()) {
    recorder.state(value.shape, value.format, value.name);
    if (value.format == Format::kv) bytes.kv += bytes_of(programs.compile.kv, value.shape.elements());
  }
  bytes.all = device.footprint(recorder.program(), programs.compile).state;
  return bytes;
}

}  // namespace

MemoryPlan plan_memory(const TextPrograms& programs, const Device& device) {
  const StateBytes state = state_bytes(programs, device);
  MemoryPlan plan;
  size_t code = 0;
  plan.kv = state.kv;
  for (const Program& prompt : programs.prompts) {
    const Footprint footprint = device.footprint(prompt, programs.compile);
    plan.weights = footprint.weights;  // all have the same
    plan.scratch = std::max(plan.scratch, footprint.scratch);
    code = std::max(code, footprint.code);
  }
  for (const Program& decode : programs.decode) {
    plan.scratch = std::max(plan.scratch, device.footprint(decode, programs.compile).scratch);
  }
  plan.other = state.all - std::min(state.kv, state.all) + code + kProcessBytes +
               size_t{programs.config.vocabulary} * kBytesPerToken;
  plan.total = plan.weights + plan.kv + plan.scratch + plan.other;
  plan.available = device.info().free_memory;
  plan.fits = plan.total <= plan.available;
  plan.context = programs.context;
  plan.slots = programs.slots;
  return plan;
}

MemoryPlan plan_memory(const ModelFiles& model, const TextModelOptions& options, const Device& device) {
  return plan_memory(record_text_programs(model, options, device), device);
}

void require_fit(const MemoryPlan& plan) {
  if (plan.fits) return;
  std::string advice = "a smaller or more strongly quantized model";
  if (plan.total - plan.kv < plan.available) {
    advice = concat("a smaller context (--context, now ", plan.context, ")",
                    plan.slots > 1 ? concat(" or fewer slots (now ", plan.slots, ")") : "");
  }
  fail(ErrorKind::does_not_fit, "the model needs ", readable_bytes(plan.total), " (weights ",
       readable_bytes(plan.weights), ", keys and values ", readable_bytes(plan.kv), ", scratch ",
       readable_bytes(plan.scratch), ", other ", readable_bytes(plan.other), ") and ",
       readable_bytes(plan.available), " are free; try ", advice);
}

std::string readable_bytes(size_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  size_t unit = 0;
  auto value = static_cast<double>(bytes);
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  std::ostringstream out;
  out << std::fixed << std::setprecision(unit == 0 ? 0 : 2) << value << ' ' << kUnits[unit];
  return std::move(out).str();
}

}  // namespace linnet
