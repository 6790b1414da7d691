#include "backends/cpu/executable.h"

#include <algorithm>

#include "backends/cpu/kernels/bind.h"

namespace linnet::cpu {
namespace {

// Runs read words and blocks straight from bytes.
template <class T>
concept HasKernel = requires(const T& op, const Binder& binder) {
  bind_kernel(op, binder);
};

BoundKernel bind_op(const Op& op, const Binder& binder) {
  return std::visit(
      [&]<class T>(const T& each) {
        static_assert(HasKernel<T>, "this op has no kernel on the CPU");
        return bind_kernel(each, binder);
      },
      op);
}

}  // namespace

CpuExecutable::CpuExecutable(CpuContext context, Program program, Plan plan)
    : context_(context), program_(std::move(program)), plan_(std::move(plan)) {}

std::unique_ptr<Launch> CpuExecutable::bind(std::span<const Binding> bindings, Buffer& scratch) {
  std::vector<Buffer*> buffers(program_.values.size(), nullptr);
  for (const Binding& binding : bindings) buffers.at(binding.value.id) = binding.buffer;
  for (const Step& step : plan_.steps) {
    for_each_operand(step.op, [&](Value value, Access, std::string_view name) {
      const Value base = program_.base(value);
      if (program_.info(base).storage == Storage::scratch) return;
      const Buffer* buffer = buffers[base.id];
      const std::string& value_name = program_.info(base).name;
      if (buffer == nullptr)
        fail(ErrorKind::failure, "[bind] ", name, ": nothing is bound to '", value_name, "'");
      const auto* host = dynamic_cast<const HostBuffer*>(buffer);
      if (host != nullptr && host->bytes() < program_.bytes(base)) {
        fail(ErrorKind::failure, "[bind] ", value_name, ": expected ", program_.bytes(base), " bytes, got ",
             host->bytes());
      }
    });
  }
  auto* arena = dynamic_cast<HostBuffer*>(&scratch);
  if (arena == nullptr || arena->bytes() < plan_.scratch_bytes) {
    fail(ErrorKind::failure, "[bind] scratch: expected ", plan_.scratch_bytes, " bytes of this device, got ",
         scratch.bytes());
  }
  return std::make_unique<CpuLaunch>(context_, program_, plan_, std::move(buffers), arena->data());
}

CpuLaunch::CpuLaunch(CpuContext context, const Program& program, const Plan& plan,
                     std::vector<Buffer*> buffers, std::byte* arena)
    : context_(context), program_(program), plan_(plan), buffers_(std::move(buffers)), arena_(arena) {
  Binder binder(program_, plan_, buffers_, arena_, context_.target);
  for (const Step& step : plan_.steps) {
    binder.set_step(step);
    auto bound = std::make_unique<BoundStep>();
    bound->kernel = bind_op(step.op, binder);
    bound->receipt_line = receipt_line(op_name(step.op));
    steps_.push_back(std::move(bound));
  }
  find_barriers();
}

size_t CpuLaunch::receipt_line(std::string_view op) {
  auto& lines = context_.receipt.lines;
  const auto found = std::ranges::find(lines, op, &ReceiptLine::op);
  if (found != lines.end()) return static_cast<size_t>(found - lines.begin());
  lines.push_back({.op = std::string(op)});
  return lines.size() - 1;
}

// Steps between two barriers are independent of each other, whatever thread runs which tile when.
void CpuLaunch::find_barriers() {
  size_t first_since_barrier = 0;
  for (size_t next = 1; next < steps_.size(); ++next) {
    const auto& after = plan_.steps[next].after;
    const bool needed =
        std::ranges::any_of(after, [&](uint32_t step) { return step >= first_since_barrier; });
    steps_[next - 1]->barrier_after = needed;
    if (needed) first_since_barrier = next;
  }
}

bool CpuLaunch::extents_fit(std::span<const uint32_t> extents) noexcept {
  bool fit = extents.size() == program_.extents.size();
  for (size_t i = 0; fit && i < extents.size(); ++i) fit = extents[i] <= program_.extents[i].max;
  if (!fit)
    context_.queue.fail_once(Error(ErrorKind::failure, "[run] extents: expected a count ≤ max for each"));
  return fit;
}

void CpuLaunch::run(std::span<const uint32_t> extents) noexcept {
  if (context_.queue.failed() || !extents_fit(extents)) return;
  for (auto& step : steps_) {
    for (auto& counter : step->counters) counter.store(0, std::memory_order_relaxed);
  }
  context_.pool.run([&](unsigned thread) { walk(thread, extents); });
  ++context_.receipt.runs;
  if (context_.failure.failed()) context_.queue.fail_once(Error(ErrorKind::failure, context_.failure.take()));
}

void CpuLaunch::walk(unsigned thread, std::span<const uint32_t> extents) noexcept {
  Team team(context_.pool, thread, extents, context_.failure);
  auto before = Clock::now();
  for (auto& step : steps_) {
    team.enter(step->counters);
    const uint64_t bytes = step->kernel(team);
    if (step->barrier_after) team.barrier();
    if (thread != 0) continue;
    const auto now = Clock::now();
    ReceiptLine& line = context_.receipt.lines[step->receipt_line];
    line.count += 1;
    line.seconds += std::chrono::duration<double>(now - before).count();
    line.bytes += bytes;
    before = now;
  }
}

void CpuLaunch::read_value(Value value, std::span<float> into, Completion done) {
  const ValueInfo& info = program_.info(value);
  if (into.size() != info.shape.elements()) {
    fail(ErrorKind::failure, "[read_value] ", info.name, ": expected room for ", info.shape.elements(),
         ", got ", into.size());
  }
  const Binder binder(program_, plan_, buffers_, arena_, context_.target);
  const size_t rows = info.shape.rows().max;
  const size_t columns = info.shape.columns();
  if (const auto* weight = dynamic_cast<const CpuWeight*>(buffers_[program_.base(value).id])) {
    for (size_t row = 0; row < weight->rows(); ++row) {
      weight->decode_row(row, into.subspan(row * weight->columns(), weight->columns()));
    }
  } else if (plan_.offset[program_.base(value).id] == Plan::kNowhere &&
             buffers_[program_.base(value).id] == nullptr) {
    fail(ErrorKind::failure, "[read_value] '", info.name, "' is nowhere in this program");
  } else {
    const Tensor tensor = binder.tensor(value);
    for (size_t row = 0; row < rows; ++row) {
      decode(info.format, {tensor.row<const std::byte>(row), bytes_of(info.format, columns)},
             into.subspan(row * columns, columns));
    }
  }
  context_.queue.completed(std::move(done));
}

}  // namespace linnet::cpu
