#include "simulated_gpu/stream.h"

#include <cstdio>

#include "simulated_gpu/launch.h"

namespace linnet::simulated {
namespace {

void run_kernel(const Kernel& kernel) {
  if (sticky_error() != cudaSuccess || run(kernel)) return;
  std::fprintf(stderr, "simulated GPU: threads of a block wait for each other in vain\n");
  sticky_error() = cudaErrorLaunchFailure;
}

std::vector<Stream*>& all_streams() {
  static auto& streams = *new std::vector<Stream*>;
  return streams;
}

struct Run {
  void operator()(const Copy& copy) const {
    for (size_t row = 0; row < copy.rows; ++row)
      std::memcpy(copy.to + row * copy.to_pitch, copy.from + row * copy.from_pitch, copy.width);
  }
  void operator()(const Record& record) const {
    ++record.event->reached;
    record.event->when = std::chrono::steady_clock::now();
  }
  void operator()(const Wait& wait) const {
    while (wait.event->reached < wait.until && wait.event->stream->run_one()) continue;
  }
  void operator()(const Graph* graph) const {
    for (const Kernel& kernel : graph->kernels) run_kernel(kernel);
  }
  void operator()(const std::unique_ptr<Kernel>& kernel) const { run_kernel(*kernel); }
};

}  // namespace

cudaError_t& sticky_error() {
  static cudaError_t error = cudaSuccess;
  return error;
}

Stream::Stream() {
  all_streams().push_back(this);
}

Stream::~Stream() {
  run_all();
  std::erase(all_streams(), this);
}

void run_all_streams() {
  for (Stream* stream : all_streams()) stream->run_all();
}

void Stream::enqueue(Work work) {
  work_.push(std::move(work));
}

bool Stream::run_one() {
  if (work_.empty()) return false;
  const Work work = work_.pop();
  std::visit(Run{}, work);
  return true;
}

void Stream::run_all() {
  while (run_one()) continue;
}

cudaError_t Stream::launch(Kernel kernel) {
  const bool fits = kernel.shared <= kMostDynamicShared && kernel.block.x > 0 && kernel.block.x <= 1024 &&
                    kernel.block.y == 1 && kernel.block.z == 1 && kernel.grid.x > 0 && kernel.grid.y > 0 &&
                    kernel.grid.z > 0 && kernel.grid.y <= 65535 && kernel.grid.z <= 65535;
  if (!fits) return cudaErrorInvalidConfiguration;
  if (captured_) {
    captured_->kernels.push_back(std::move(kernel));
  } else {
    enqueue(std::make_unique<Kernel>(std::move(kernel)));
  }
  return cudaSuccess;
}

}  // namespace linnet::simulated
