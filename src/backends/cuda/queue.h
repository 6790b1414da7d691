// The device's queue: one stream, and one beside it for reads that nobody waits for; writes staged through
// pinned memory, reads that complete in poll(). The first failure stays, of a call, of the stream or of a
// kernel's own check.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <optional>
#include <vector>

#include "backends/cuda/counters.h"
#include "backends/cuda/memory.h"
#include "backends/cuda/staging.h"
#include "base/fifo.h"
#include "device/device.h"

namespace linnet::cuda {

class Queue {
 public:
  Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  ~Queue();

  [[nodiscard]] cudaStream_t stream() const noexcept { return stream_; }
  // Where kernels report a value that they may not use as an index.
  [[nodiscard]] KernelFailure* failure_of_kernels() const noexcept { return kernel_failure_; }

  // Has copied when it returns; takes effect in order.
  void write(std::byte* to, std::span<const std::byte> from);
  void read(const std::byte* from, std::span<std::byte> into, Completion done);
  // Of bytes that stay as they are until then. A copy in the stream itself holds up the next launch by 9 µs.
  void read_beside(const std::byte* from, std::span<std::byte> into, Completion done);
  // A completion with nothing to copy.
  void completed(Completion done);

  void poll();
  bool wait(std::chrono::nanoseconds timeout);
  // Until all that was enqueued has run. Keeps a failure.
  void drain() noexcept;

  void fail_once(Error error) noexcept {
    if (!failure_) failure_ = std::move(error);
  }
  void fail_once(cudaError_t status, const char* what) noexcept;
  [[nodiscard]] bool failed() const noexcept { return failure_.has_value(); }
  // Names an op by its line of the receipt, for kernels' failures.
  using LineName = std::function<std::string(uint32_t line)>;
  void set_line_name(LineName name) { line_name_ = std::move(name); }

 private:
  // Pinned memory in two halves: one is filled while the stream may still read the other.
  static constexpr size_t kHalf = size_t{1} << 20;
  // Reads on their way, in bytes; what does not fit waits for the stream.
  static constexpr size_t kReadRing = size_t{4} << 20;
  struct Pending {
    cudaEvent_t event;
    Staging::Place place;
    std::span<std::byte> into;
    Completion done;
  };

  [[nodiscard]] cudaEvent_t take_event();
  // Copies to that place of the staging, and completes when the copy has.
  void copy_staged(cudaStream_t stream, const std::byte* from, const Staging::Place& place,
                   std::span<std::byte> into, Completion done);
  [[nodiscard]] bool front_ready();
  void complete_front();
  void look_for_kernel_failure() noexcept;

  cudaStream_t stream_ = nullptr;
  cudaStream_t beside_ = nullptr;
  cudaEvent_t reached_ = nullptr;  // by the stream, when one beside it may read
  PinnedMemory writes_;
  std::array<cudaEvent_t, 2> half_free_{};
  size_t half_ = 0;
  size_t used_ = 0;

  PinnedMemory reads_;
  Staging staging_{kReadRing};
  Fifo<Pending> pending_;
  std::vector<cudaEvent_t> events_;
  PinnedMemory failure_memory_;
  KernelFailure* kernel_failure_;
  std::optional<Error> failure_;
  LineName line_name_;
};

}  // namespace linnet::cuda
