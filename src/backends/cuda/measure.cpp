// The bandwidth of the GPU's memory: several numbers of blocks read a buffer far larger than any cache.
#include <algorithm>
#include <array>

#include "backends/cuda/check.h"
#include "backends/cuda/device.h"
#include "backends/cuda/kernels/kernels.h"

namespace linnet::cuda {
namespace {

constexpr size_t kBytes = size_t{8} << 30;
constexpr int kRepetitions = 5;  // the fastest counts

struct Timer {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  Timer() {
    check(cudaEventCreate(&begin), "creating an event");
    check(cudaEventCreate(&end), "creating an event");
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() {
    static_cast<void>(cudaEventDestroy(begin));
    static_cast<void>(cudaEventDestroy(end));
  }
};

double seconds_of(const ReadArgs& args, const Common& common, const Timer& timer) {
  check(cudaEventRecord(timer.begin, common.stream), "measuring");
  launch_read(args, common);
  check(cudaGetLastError(), "measuring");
  check(cudaEventRecord(timer.end, common.stream), "measuring");
  check(cudaEventSynchronize(timer.end), "measuring");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, timer.begin, timer.end), "measuring");
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace

std::vector<ReadSpeed> CudaDevice::measure_reading() {
  const size_t bytes = std::min(kBytes, info().free_memory / 2) / (size_t{1} << 20) << 20;
  const CudaBuffer buffer(bytes);
  const CudaBuffer sink(sizeof(uint32_t));
  const Timer timer;
  const Common common{.stamp = {}, .failure = nullptr, .stream = shared_->queue.stream()};
  std::vector<ReadSpeed> speeds;
  for (const uint32_t a_processor : {2u, 4u, 8u, 16u}) {
    const ReadArgs args{buffer.data(), bytes / 16, reinterpret_cast<uint32_t*>(sink.data()),
                        a_processor * shared_->hardware.processors};
    double fastest = seconds_of(args, common, timer);
    for (int i = 1; i < kRepetitions; ++i) fastest = std::min(fastest, seconds_of(args, common, timer));
    speeds.push_back({args.blocks, static_cast<double>(bytes) / fastest});
  }
  return speeds;
}

}  // namespace linnet::cuda
