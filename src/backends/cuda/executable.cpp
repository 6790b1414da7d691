#include "backends/cuda/executable.h"

#include <algorithm>
#include <array>

#include "backends/cuda/check.h"

namespace linnet::cuda {
namespace {

void check_binding(const Program& program, Value value, const Buffer* buffer) {
  const ValueInfo& info = program.info(value);
  if (buffer == nullptr) fail(ErrorKind::failure, "[bind] nothing is bound to '", info.name, "'");
  if (info.storage == Storage::weight) {
    const auto* weight = dynamic_cast<const CudaWeight*>(buffer);
    if (weight == nullptr) fail(ErrorKind::failure, "[bind] ", info.name, ": expected a loaded weight");
    const size_t elements = size_t{weight->matrix().rows} * weight->matrix().columns;
    if (weight->matrix().format == info.format && elements == info.shape.elements()) return;
    fail(ErrorKind::failure, "[bind] ", info.name, ": expected ", info.shape, " ", info.format, ", got ",
         elements, " elements of ", weight->matrix().format);
  }
  if (dynamic_cast<const CudaBuffer*>(buffer) == nullptr)
    fail(ErrorKind::failure, "[bind] ", info.name, ": expected a buffer of this device");
  if (buffer->bytes() >= program.bytes(value)) return;
  fail(ErrorKind::failure, "[bind] ", info.name, ": expected ", program.bytes(value), " bytes, got ",
       buffer->bytes());
}

}  // namespace

CudaExecutable::CudaExecutable(std::shared_ptr<Shared> shared, const CompileOptions& options, Program program,
                               Plan plan)
    : shared_(std::move(shared)), options_(options), program_(std::move(program)), plan_(std::move(plan)) {}

std::unique_ptr<Launch> CudaExecutable::bind(std::span<const Binding> bindings, Buffer& scratch) {
  std::vector<Buffer*> buffers(program_.values.size(), nullptr);
  for (const Binding& binding : bindings) buffers.at(binding.value.id) = binding.buffer;
  for (const Step& step : plan_.steps) {
    for_each_operand(step.op, [&](Value value, Access, std::string_view) {
      const Value base = program_.base(value);
      if (program_.info(base).storage != Storage::scratch) check_binding(program_, base, buffers[base.id]);
    });
  }
  const auto* arena = dynamic_cast<const CudaBuffer*>(&scratch);
  if (arena == nullptr || arena->bytes() < plan_.scratch_bytes) {
    fail(ErrorKind::failure, "[bind] scratch: expected ", plan_.scratch_bytes, " bytes of this device, got ",
         scratch.bytes());
  }
  return std::make_unique<CudaLaunch>(shared_, options_, program_, plan_, std::move(buffers), arena->data());
}

CudaLaunch::CudaLaunch(std::shared_ptr<Shared> shared, const CompileOptions& options, const Program& program,
                       const Plan& plan, std::vector<Buffer*> buffers, std::byte* arena)
    : shared_(std::move(shared)),
      program_(program),
      plan_(plan),
      buffers_(std::move(buffers)),
      arena_(arena),
      options_(options) {
  bind_steps();
  if (!program_.extents.empty() || !shared_->capture) load_kernels();
  if (shared_->capture) capture_all();
}

void CudaLaunch::bind_steps() {
  Binder binder(program_, plan_, buffers_, arena_, options_, shared_->hardware, shared_->cublas.get(),
                shared_->queue.stream());
  const LineOf line_of = [&](std::string_view op) { return shared_->line_of(op); };
  // Values that must stay readable cannot travel as words.
  bool may_walk = options_.reuse_scratch && program_.extents.empty();
  for (size_t i = 0; i < plan_.steps.size();) {
    const Step& step = plan_.steps[i];
    binder.set_step(step);
    const bool first_stage = std::holds_alternative<NormQkvRopeStore>(step.op);
    if (may_walk && (first_stage || std::holds_alternative<RopeAngles>(step.op))) {
      may_walk = !first_stage;  // it begins there, or right before
      const auto rest = std::span(plan_.steps).subspan(i);
      if (const auto walk = Walk::of(rest, shared_->walk_from, binder, line_of)) {
        walks_ = true;
        may_walk = false;
        i += walk->steps();
        steps_.push_back({&plan_.steps[i - 1].op,
                          [walk](const Counts&, const Common& common) { return walk->enqueue(common); },
                          walk->last_line()});
        continue;
      }
    }
    steps_.push_back({&step.op, bind_op(step.op, binder), shared_->line_of(op_name(step.op))});
    ++i;
  }
  memory_ = binder.take_memory();
}

CudaLaunch::~CudaLaunch() {
  shared_->queue.drain();
}

// Every kernel in the order of the program; the stream keeps it.
void CudaLaunch::enqueue_steps(std::span<const uint32_t> extents) {
  const Counts counts(extents);
  Common common{.stamp = {.lines = shared_->line_counters()},
                .failure = shared_->queue.failure_of_kernels(),
                .stream = shared_->queue.stream(),
                .overlap = shared_->overlap};
  uint32_t before = kNoLine;
  for (const BoundStep& step : steps_) {
    const auto* sample = std::get_if<Sample>(step.op);
    const bool last = &step == &steps_.back();
    common.stamp.before = before;
    common.stamp.here = step.line;
    common.stamp.bytes = bytes_touched(*step.op, program_, counts);
    common.stamp.closes = last && sample != nullptr && counts(program_.shape(sample->logits).rows()) == 1;
    if (step.enqueue(counts, common)) before = step.line;
    check(cudaGetLastError(), "launching a kernel");
  }
  if (common.stamp.closes) return;
  common.stamp.before = before;
  common.stamp.here = kNoLine;
  launch_stamp(common);
}

// CUDA loads a kernel when it is first used, which takes milliseconds: that is now, not in the first run with
// such counts. Counts decide which kernels a run takes, and powers of two meet every decision.
void CudaLaunch::load_kernels() {
  Common common{};
  common.load_only = true;
  uint32_t most = 1;
  for (const ExtentInfo& extent : program_.extents) most = std::max(most, extent.max);
  std::vector<uint32_t> extents(program_.extents.size());
  for (uint64_t count = 1; count < uint64_t{2} * most; count *= 2) {
    std::ranges::transform(program_.extents, extents.begin(), [&](const ExtentInfo& extent) {
      return static_cast<uint32_t>(std::min<uint64_t>(count, extent.max));
    });
    for (const BoundStep& step : steps_) step.enqueue(Counts(extents), common);
    check(cudaGetLastError(), "loading kernels");
  }
}

// Launching the kernels of a prompt one by one takes the host longer than a few hundred rows take the GPU:
// those are captured beforehand, and a run takes the next graph that has as many.
void CudaLaunch::capture_all() {
  constexpr std::array kRows = {16u, 32u, 64u, 96u, 128u, 192u, 256u, 384u, 512u};
  if (program_.extents.empty()) return capture({});
  const auto rounded = std::ranges::find(program_.extents, true, &ExtentInfo::may_round_up);
  if (rounded == program_.extents.end()) return;
  std::vector<uint32_t> extents(program_.extents.size(), 1);
  uint32_t& count = extents[static_cast<size_t>(rounded - program_.extents.begin())];
  for (const uint32_t rows : kRows) {
    count = std::min(rows, rounded->max);
    if (count >= rounded->least) capture(extents);
    if (count == rounded->max) break;
  }
}

void CudaLaunch::capture(std::vector<uint32_t> extents) {
  cudaGraph_t graph = nullptr;
  cudaStream_t stream = shared_->queue.stream();
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capturing a program");
  try {
    enqueue_steps(extents);
  } catch (...) {
    static_cast<void>(cudaStreamEndCapture(stream, &graph));
    if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph), "capturing a program");
  cudaGraphExec_t made = nullptr;
  const cudaError_t status = cudaGraphInstantiate(&made, graph, 0);
  static_cast<void>(cudaGraphDestroy(graph));
  check(status, "making a graph of a program");
  captured_.push_back({std::move(extents), decltype(Captured::graph)(made)});
  check(cudaGraphUpload(made, stream), "uploading a program");
}

// Null if there is none for such counts.
cudaGraphExec_t CudaLaunch::captured(std::span<const uint32_t> extents) const noexcept {
  for (const Captured& each : captured_) {
    bool fits = true;
    for (size_t i = 0; i < extents.size(); ++i) {
      const bool rounded = program_.extents[i].may_round_up && extents[i] > 0;
      fits = fits && (rounded ? extents[i] <= each.extents[i] : extents[i] == each.extents[i]);
    }
    if (fits) return each.graph.get();
  }
  return nullptr;
}

bool CudaLaunch::extents_fit(std::span<const uint32_t> extents) const noexcept {
  bool fit = extents.size() == program_.extents.size();
  for (size_t i = 0; fit && i < extents.size(); ++i) fit = extents[i] <= program_.extents[i].max;
  return fit;
}

void CudaLaunch::run(std::span<const uint32_t> extents) noexcept {
  Queue& queue = shared_->queue;
  if (queue.failed()) return;
  if (!extents_fit(extents))
    return queue.fail_once(Error(ErrorKind::failure, "[run] extents: expected a count ≤ max for each"));
  try {
    if (const cudaGraphExec_t graph = captured(extents)) {
      check(cudaGraphLaunch(graph, queue.stream()), "launching a program");
    } else {
      enqueue_steps(extents);
    }
    ++shared_->runs;
    if (walks_) ++shared_->walked;
  } catch (const Error& error) {
    queue.fail_once(error);
  } catch (const std::exception& error) {
    queue.fail_once(Error(ErrorKind::failure, error.what()));
  }
}

void CudaLaunch::read_value(Value value, std::span<float> into, Completion done) {
  const ValueInfo& info = program_.info(value);
  const Value base = program_.base(value);
  if (into.size() != info.shape.elements()) {
    fail(ErrorKind::failure, "[read_value] ", info.name, ": expected room for ", info.shape.elements(),
         ", got ", into.size());
  }
  Queue& queue = shared_->queue;
  if (const auto* weight = dynamic_cast<const CudaWeight*>(buffers_[base.id])) {
    weight->decode(into, queue);
    return queue.completed(std::move(done));
  }
  if (plan_.offset[base.id] == Plan::kNowhere && buffers_[base.id] == nullptr)
    fail(ErrorKind::failure, "[read_value] '", info.name, "' is nowhere in this program");
  Binder binder(program_, plan_, buffers_, arena_, options_, shared_->hardware, shared_->cublas.get(),
                shared_->queue.stream());
  const Tensor tensor = binder.tensor(value);
  const size_t rows = info.shape.rows().max;
  const size_t row_bytes = bytes_of(info.format, tensor.columns);
  std::vector<std::byte> bytes(rows * row_bytes);
  check(cudaMemcpy2DAsync(bytes.data(), row_bytes, tensor.data, bytes_of(info.format, tensor.stride),
                          row_bytes, rows, cudaMemcpyDeviceToHost, queue.stream()),
        "reading a value");
  queue.drain();
  decode(info.format, bytes, into);
  queue.completed(std::move(done));
}

}  // namespace linnet::cuda
