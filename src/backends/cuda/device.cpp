#include "backends/cuda/device.h"

#include <algorithm>
#include <cstdlib>

#include "backends/cuda/bind.h"
#include "backends/cuda/check.h"
#include "backends/cuda/executable.h"
#include "backends/cuda/kernels/panel.h"
#include "backends/cuda/kernels/slab.h"
#include "backends/cuda/kernels/warpgroup.h"
#include "backends/cuda/lower.h"
#include "backends/cuda/weight.h"

namespace linnet::cuda {
namespace {

// Of weights. Models of a few megabytes are not what the walk was measured with: they keep the graph.
constexpr size_t kSmallestWalked = size_t{64} << 20;
// Our kernels, cuBLASLt's, and graphs: 113 MiB with TinyLlama in Q8_0 and 122 with Mistral 7B in BF16 on an
// H200, beyond the rest of the plan and the context, which free memory is counted without.
constexpr size_t kLoadedCode = size_t{128} << 20;

}  // namespace

uint32_t Shared::line_of(std::string_view op) {
  const auto found = std::ranges::find(lines, op);
  if (found != lines.end()) return static_cast<uint32_t>(found - lines.begin());
  if (lines.size() == kMaxLines) fail(ErrorKind::failure, "[cuda] more ops than the receipt has lines");
  lines.emplace_back(op);
  return static_cast<uint32_t>(lines.size() - 1);
}

CudaDevice::CudaDevice(const DeviceOptions& options) {
  check(cudaSetDevice(0), "opening the GPU");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "asking for the GPU's properties");
  name_ = properties.name;
  total_memory_ = properties.totalGlobalMem;
  capability_ = properties.major * 10 + properties.minor;
  shared_ = std::make_shared<Shared>();
  shared_->capture = options.launching != Launching::kernels;
  shared_->overlap = capability_ >= 90;
  if (capability_ >= 90 && options.launching == Launching::walk) shared_->walk_from = 0;
  if (capability_ >= 90 && options.launching == Launching::automatic) shared_->walk_from = kSmallestWalked;
  shared_->cublas = CublasLt::load(std::getenv(CublasLt::kVariable));
  shared_->hardware = {.processors = static_cast<uint32_t>(properties.multiProcessorCount),
                       .cublas = shared_->cublas != nullptr,
                       .warpgroups = warpgroups_run_here()};
  shared_->counters = allocate_zeroed(kMaxLines * sizeof(LineCounters));
  shared_->queue.set_line_name([lines = &shared_->lines](uint32_t line) {
    return line < lines->size() ? (*lines)[line] : std::string("?");
  });
}

CudaDevice::~CudaDevice() {
  shared_->queue.drain();
}

DeviceInfo CudaDevice::info() const {
  size_t free = 0;
  size_t total = 0;
  static_cast<void>(cudaMemGetInfo(&free, &total));
  const Format compute = capability_ >= 80 ? Format::bf16 : Format::f16;
  return {.backend = "cuda",
          .name = name_,
          .detail =
              concat(shared_->hardware.processors, " multiprocessors, compute capability ", capability_ / 10,
                     '.', capability_ % 10, shared_->cublas == nullptr ? ", without cuBLASLt" : ""),
          .total_memory = total_memory_,
          .free_memory = free,
          .compute = compute,
          .kv = compute,
          .steps_ahead = 4,
          .prompt_rows = 2048,  // products that fill the GPU
          .shorter_prompts = shorter_prompts()};
}

// Those of panels, and what is too short for slabs.
std::vector<uint32_t> CudaDevice::shorter_prompts() const {
  if (!shared_->hardware.warpgroups) return {};
  return {kMaxPanelRows, kFewestSlabRows - 1};
}

Lowered CudaDevice::lower(const Op& op, const CompileOptions& options, Recorder& into) const {
  return lower_for_cuda(op, options, into, shared_->hardware);
}

size_t CudaDevice::workspace(const Program& program, const Op& op) const {
  return std::visit([&](const auto& each) { return workspace_of(each, program, shared_->hardware); }, op);
}

Program CudaDevice::lowered(const Program& program, const CompileOptions& options) const {
  return linnet::lower(program, options,
                       [&](const Op& op, Recorder& into) { return lower(op, options, into); });
}

Plan CudaDevice::planned(const Program& program, const CompileOptions& options) const {
  return make_plan(program, [&](const Op& op) { return workspace(program, op); },
                   {.reuse_scratch = options.reuse_scratch});
}

Footprint CudaDevice::footprint(const Program& program, const CompileOptions& options) const {
  const Program here = lowered(program, options);
  Footprint footprint{.scratch = planned(here, options).scratch_bytes, .code = kLoadedCode};
  for (uint32_t id = 0; id < here.values.size(); ++id) {
    const ValueInfo& value = here.values[id];
    if (value.view.base || value.storage == Storage::scratch) continue;
    if (value.storage == Storage::weight) {
      footprint.weights += resident_bytes(value.format, value.shape.elements());
    } else {
      footprint.state += here.bytes({id});
    }
  }
  return footprint;
}

std::unique_ptr<Buffer> CudaDevice::load(const WeightSpec& spec, const ByteSource& source) {
  return std::make_unique<CudaWeight>(spec, source, shared_->queue);
}

std::unique_ptr<Buffer> CudaDevice::allocate(const ValueInfo& value) {
  return std::make_unique<CudaBuffer>(bytes_of(value.format, value.shape.elements()));
}

std::unique_ptr<Buffer> CudaDevice::allocate_scratch(size_t bytes) {
  return std::make_unique<CudaBuffer>(bytes);
}

void CudaDevice::write(Buffer& buffer, size_t offset, std::span<const std::byte> bytes) {
  auto& to = dynamic_cast<CudaBuffer&>(buffer);
  to.check_range(offset, bytes.size());
  shared_->queue.write(to.data() + offset, bytes);
}

void CudaDevice::read(const Buffer& buffer, size_t offset, std::span<std::byte> into, Completion done) {
  const auto& from = dynamic_cast<const CudaBuffer&>(buffer);
  from.check_range(offset, into.size());
  shared_->queue.read(from.data() + offset, into, std::move(done));
}

void CudaDevice::read_beside(const Buffer& buffer, size_t offset, std::span<std::byte> into,
                             Completion done) {
  const auto& from = dynamic_cast<const CudaBuffer&>(buffer);
  from.check_range(offset, into.size());
  shared_->queue.read_beside(from.data() + offset, into, std::move(done));
}

std::unique_ptr<Executable> CudaDevice::compile(const Program& program, const CompileOptions& options) {
  Program here = lowered(program, options);
  Plan plan = planned(here, options);
  return std::make_unique<CudaExecutable>(shared_, options, std::move(here), std::move(plan));
}

Receipt CudaDevice::receipt() const {
  Receipt receipt{
      .backend = "cuda", .device = name_, .runs = shared_->runs, .walked = shared_->walked, .lines = {}};
  std::vector<LineCounters> counters(kMaxLines);
  shared_->queue.drain();
  const cudaError_t status = cudaMemcpy(counters.data(), shared_->counters.get(),
                                        kMaxLines * sizeof(LineCounters), cudaMemcpyDeviceToHost);
  shared_->queue.fail_once(status, "reading the receipt");
  if (status != cudaSuccess) return receipt;
  for (size_t i = 0; i < shared_->lines.size(); ++i) {
    receipt.lines.push_back({.op = shared_->lines[i],
                             .count = counters[i].count,
                             .seconds = static_cast<double>(counters[i].nanoseconds) * 1e-9,
                             .bytes = counters[i].bytes});
  }
  return receipt;
}

}  // namespace linnet::cuda
