// Streams, events and graphs of the simulated GPU. What is enqueued runs as late as it may: when somebody
// waits for it, or bit by bit when somebody asks whether it is done. Nothing is allocated for a graph, a copy
// or an event in the steady state, so that tests can count what the program itself allocates.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <memory>
#include <variant>
#include <vector>

#include "base/fifo.h"
#include "simulated_gpu/block.h"

namespace linnet::simulated {

struct Event {
  uint64_t recorded = 0;  // how often it was enqueued
  uint64_t reached = 0;   // how often it was run
  class Stream* stream = nullptr;
  std::chrono::steady_clock::time_point when;
  [[nodiscard]] bool done() const { return reached == recorded; }
};

struct Graph {
  std::vector<Kernel> kernels;
};

struct Copy {
  std::byte* to;
  size_t to_pitch;
  const std::byte* from;
  size_t from_pitch;
  size_t width;
  size_t rows;
};
struct Record {
  Event* event;
};
struct Wait {
  Event* event;
  uint64_t until;  // of its `reached`
};
using Work = std::variant<Copy, Record, Wait, const Graph*, std::unique_ptr<Kernel>>;

class Stream {
 public:
  Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  void enqueue(Work work);
  // True if something was left to do.
  bool run_one();
  void run_all();

  void begin_capture() { captured_ = std::make_unique<Graph>(); }
  [[nodiscard]] bool capturing() const { return captured_ != nullptr; }
  [[nodiscard]] std::unique_ptr<Graph> end_capture() { return std::move(captured_); }
  [[nodiscard]] cudaError_t launch(Kernel kernel);

 private:
  Fifo<Work> work_;
  std::unique_ptr<Graph> captured_;
};

// All streams there are: what cudaFree() waits for before it frees.
void run_all_streams();

// The first failure of a kernel: as on a GPU, every later call gives it back.
[[nodiscard]] cudaError_t& sticky_error();

}  // namespace linnet::simulated
