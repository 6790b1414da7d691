#include "chain.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <numeric>
#include <span>

#include "base/error.h"
#include "check/fill.h"
#include "models/llama.h"
#include "nn/batch.h"
#include "runtime/kv_pages.h"
#include "runtime/memory_plan.h"

namespace linnet::bench {
namespace {

// Whole blocks of every format, and not a multiple of any row: rows of a matrix differ.
constexpr uint32_t kBlockElements = 32 * ((1u << 15) + 1);
// Activations neither vanish nor grow beyond any format: sums of 2048 to 14336 such numbers are about one.
constexpr float kDeviation = 0.02f;
constexpr uint64_t kSeed = 1;

// Numbers that begin again when they end: as good as fresh ones to whoever streams them, and ready at once.
class Repeated final : public ByteSource {
 public:
  Repeated(Format format, std::vector<std::byte> bytes) : format_(format), bytes_(std::move(bytes)) {}

  static Repeated random(Format format) {
    return {format, filled(Fill::normal(kDeviation), of_size(kBlockElements, format), kSeed)};
  }
  static Repeated constant(float value) {
    return {Format::f32, filled(Fill::values({value}), of_size(1, Format::f32), kSeed)};
  }

  [[nodiscard]] Format format(size_t) const override { return format_; }
  [[nodiscard]] std::span<const std::byte> mapped(size_t) const override { return {}; }
  void read(size_t, size_t offset, std::span<std::byte> into) const override {
    while (!into.empty()) {
      const auto from = std::span(bytes_).subspan(offset % bytes_.size());
      const size_t some = std::min(from.size(), into.size());
      std::memcpy(into.data(), from.data(), some);
      into = into.subspan(some);
      offset += some;
    }
  }

 private:
  static ValueInfo of_size(uint32_t elements, Format format) {
    return {.shape = {elements}, .format = format, .storage = Storage::weight, .name = {}, .view = {}};
  }

  Format format_;
  std::vector<std::byte> bytes_;
};

std::vector<std::byte> bytes_of_floats(std::span<const float> values) {
  const auto bytes = std::as_bytes(values);
  return {bytes.begin(), bytes.end()};
}

// As a file in that format would have them.
std::vector<WeightSpec> weights_in(const LlamaConfig& config, Format format) {
  std::vector<WeightSpec> specs = llama_weights(config);
  for (WeightSpec& spec : specs) spec.format = spec.use == Use::vector ? Format::f32 : format;
  specs.push_back(llama_rope_spec(config));
  return specs;
}

BatchSpec decode_of_one(uint32_t capacity) {
  const uint32_t pages = KvPages::pages_for(capacity);
  return BatchSpec::decode(1, 1 + pages, pages);  // page 0 belongs to nobody
}

bool is_stage(const Op& op) {
  bool multiplies = false;
  for_each_operand(op, [&](Value, Access, std::string_view name) { multiplies |= name == "weight"; });
  return multiplies || std::holds_alternative<Attention>(op);
}

void require_fit(const Device& device, const Footprint& needed) {
  const size_t total = needed.weights + needed.state + needed.scratch;
  const size_t available = device.info().free_memory;
  if (total <= available) return;
  fail(ErrorKind::does_not_fit, "the chain needs ", readable_bytes(total), " (weights ",
       readable_bytes(needed.weights), ", keys, values and the like ", readable_bytes(needed.state),
       ", scratch ", readable_bytes(needed.scratch), ") and ", readable_bytes(available),
       " are free; try fewer --layers");
}

}  // namespace

class Chain::Inputs final : public ProgramInputs {
 public:
  Inputs(const LlamaConfig& config, Format format, Format kv, uint32_t capacity)
      : specs(weights_in(config, format)),
        program(record_llama(config, specs, decode_of_one(capacity))),
        matrix_(std::make_shared<Repeated>(Repeated::random(format))),
        kv_(std::make_shared<Repeated>(Repeated::random(kv))),
        norm_(std::make_shared<Repeated>(Repeated::constant(1))),
        rope_(std::make_shared<Repeated>(Format::f32, bytes_of_floats(llama_rope_values(config)))) {}

  [[nodiscard]] Weight weight(Value value) const override {
    const auto spec = std::ranges::find(specs, program.info(value).name, &WeightSpec::name);
    if (spec->name == kRopeFrequenciesName) return {*spec, rope_};
    return {*spec, spec->use == Use::vector ? norm_ : matrix_};
  }

  [[nodiscard]] std::vector<std::byte> contents(Value value, const ValueInfo& info) const override {
    if (program.format(value) == Format::kv) {
      std::vector<std::byte> bytes(bytes_of(info.format, info.shape.elements()));
      kv_->read(0, 0, bytes);
      return bytes;
    }
    if (info.name == names::kStopIds) return filled(Fill::integers({-1}), info, kSeed);
    // A row of one slot, whose pages lie one after the other; the rest begins as zeros.
    if (info.name == names::kEachRow) return counting_from(0, info);
    if (info.name == names::kPageTable) return counting_from(1, info);
    return {};
  }

  const std::vector<WeightSpec> specs;
  const Program program;

 private:
  static std::vector<std::byte> counting_from(int32_t first, const ValueInfo& info) {
    std::vector<int32_t> words(info.shape.elements());
    std::iota(words.begin(), words.end(), first);
    return filled(Fill::integers(std::move(words)), info, kSeed);
  }

  std::shared_ptr<const ByteSource> matrix_, kv_, norm_, rope_;
};

Chain::Chain(Device& device, const LlamaConfig& config, Format format, uint32_t capacity) {
  const DeviceInfo info = device.info();
  const CompileOptions options{.activations = info.compute, .kv = info.kv};
  inputs_ = std::make_unique<Inputs>(config, format, info.kv, capacity);
  const Program& program = inputs_->program;
  require_fit(device, device.footprint(program, options));
  stages_ = static_cast<size_t>(std::ranges::count_if(program.ops, is_stage));
  for (const WeightSpec& spec : inputs_->specs) {
    if (spec.use != Use::table) weight_bytes_ += bytes_of(spec.format, spec.shape().elements());
  }
  kv_bytes_a_token_ = bytes_of(info.kv, size_t{2} * config.layers * config.kv_heads * config.head_width);
  positions_ = program.find(names::kSlotPositions);
  remaining_ = program.find(names::kSlotRemaining);
  bound_ = std::make_unique<BoundProgram>(device, program, options, *inputs_);
}

Chain::~Chain() = default;

double Chain::seconds_a_run(uint32_t context, uint32_t runs) {
  const auto set = [&](Value value, uint32_t word) {
    bound_->write(value, std::as_bytes(std::span(&word, 1)));
  };
  // Waits until everything has run, and brings the device's error here.
  const auto wait_for_position = [&](uint32_t position) {
    const float stands = bound_->floats(positions_).front();
    if (stands != static_cast<float>(position))
      fail(ErrorKind::failure, "[chain] position: expected ", position, ", got ", stands);
  };
  set(positions_, context - 1);
  set(remaining_, runs);
  wait_for_position(context - 1);
  const auto begin = std::chrono::steady_clock::now();
  for (uint32_t i = 0; i < runs; ++i) bound_->run({});
  wait_for_position(context - 1 + runs);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / runs;
}

}  // namespace linnet::bench
