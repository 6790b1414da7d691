// The simulated GPU itself: that it shows the mistakes it is there for.
#include <gtest/gtest.h>

#include <vector>

#include "backends/cuda/kernels/instructions.cuh"
#include "simulated_gpu/launch.h"

namespace linnet::simulated {
namespace {

// Kernels of this file have no shared memory.
[[nodiscard]] bool run_threads(uint32_t threads, std::function<void()> body) {
  return run({.grid = dim3(2), .block = dim3(threads), .body = std::move(body)});
}

TEST(SimulatedBlock, RunsEveryThreadOfEveryBlock) {
  std::vector<int> seen(2 * 96);
  EXPECT_TRUE(run_threads(96, [&] { ++seen[blockIdx.x * blockDim.x + threadIdx.x]; }));
  EXPECT_EQ(seen, std::vector<int>(2 * 96, 1));
}

TEST(SimulatedBlock, LanesGetWhatOthersGave) {
  std::vector<uint32_t> got(64);
  EXPECT_TRUE(run_threads(64, [&] {
    uint32_t sum = threadIdx.x;
    for (const uint32_t bits : {16u, 8u, 4u, 2u, 1u}) sum += exchange(sum)[here.thread->lane ^ bits];
    got[threadIdx.x] = sum;
  }));
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(got[i], i < 32 ? 496u : 1520u) << i;
}

TEST(SimulatedBlock, ABarrierSeparatesWritesFromReads) {
  for (const bool meets : {true, false}) {
    std::vector<uint32_t> shared(256), got(256);
    EXPECT_TRUE(run_threads(256, [&] {
      shared[threadIdx.x] = blockIdx.x + 1;
      if (meets) meet_at(0, 256);
      got[threadIdx.x] = shared[255 - threadIdx.x];
    }));
    EXPECT_EQ(got == std::vector<uint32_t>(256, 2), meets) << "without a barrier it must show";
  }
}

TEST(SimulatedBlock, AnyIsTrueOfAllOrOfNone) {
  std::vector<uint32_t> got(64);
  EXPECT_TRUE(run_threads(64, [&] {
    uint32_t rounds = 0;
    for (uint32_t round = 0; round < 4; ++round)
      rounds |= uint32_t{any_at(3, 64, round % 2 == 1 && threadIdx.x == 40)} << round;
    got[threadIdx.x] = rounds;
  }));
  EXPECT_EQ(got, std::vector<uint32_t>(64, 0b1010));
}

TEST(SimulatedBlock, ThreadsThatWaitInVainEndIt) {
  EXPECT_FALSE(run_threads(64, [] {
    if (threadIdx.x < 32) meet_at(0, 64);
  }));
  int threads = 0;
  EXPECT_TRUE(run_threads(32, [&] { ++threads; })) << "and the next one runs";
  EXPECT_EQ(threads, 64);
}

TEST(SimulatedCopies, ArriveWhenTheyAreWaitedFor) {
  alignas(16) std::byte memory[32];
  alignas(16) const std::byte from[16] = {std::byte{7}};
  std::byte before{}, after{};
  const Kernel kernel{
      .grid = dim3(1), .block = dim3(1), .shared = sizeof memory, .dynamic_shared = memory, .body = [&] {
        cuda::copy_16(16, from, true);
        before = memory[16];
        cuda::wait_for_copies();
        after = memory[16];
      }};
  EXPECT_TRUE(run(kernel));
  EXPECT_EQ(before, std::byte{kUnwritten});
  EXPECT_EQ(after, std::byte{7});
}

// mma.m16n8k16 with factors that are whole numbers, against plain loops.
TEST(SimulatedProducts, AreThoseOfTheFactors) {
  const auto left = [](uint32_t row, uint32_t k) { return static_cast<float>((row * 5 + k * 3) % 17) - 8; };
  const auto right = [](uint32_t k, uint32_t column) {
    return static_cast<float>((k * 7 + column) % 11) - 5;
  };
  const auto word = [](float first, float second) {
    const auto bits = [](float x) { return uint32_t{std::bit_cast<uint16_t>(__float2bfloat16_rn(x))}; };
    return bits(first) | bits(second) << 16;
  };
  std::vector<float> got(16 * 8);
  EXPECT_TRUE(run({.grid = dim3(1), .block = dim3(32), .body = [&] {
                     const uint32_t g = threadIdx.x / 4, t = threadIdx.x % 4;
                     uint32_t a[4], b[2];
                     for (uint32_t i = 0; i < 4; ++i) {
                       const uint32_t row = g + 8 * (i % 2), k = 2 * t + 8 * (i / 2);
                       a[i] = word(left(row, k), left(row, k + 1));
                     }
                     for (uint32_t i = 0; i < 2; ++i)
                       b[i] = word(right(2 * t + 8 * i, g), right(2 * t + 8 * i + 1, g));
                     float sum[4] = {1, 1, 1, 1};
                     cuda::multiply_add<__nv_bfloat16>(sum, a, b[0], b[1]);
                     for (uint32_t i = 0; i < 4; ++i) got[(g + 8 * (i / 2)) * 8 + 2 * t + i % 2] = sum[i];
                   }}));
  for (uint32_t row = 0; row < 16; ++row) {
    for (uint32_t column = 0; column < 8; ++column) {
      float expected = 1;
      for (uint32_t k = 0; k < 16; ++k) expected += left(row, k) * right(k, column);
      EXPECT_EQ(got[row * 8 + column], expected) << row << ", " << column;
    }
  }
}

class Buffer {
 public:
  explicit Buffer(size_t bytes) { EXPECT_EQ(cudaMalloc(&data_, bytes), cudaSuccess); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { static_cast<void>(cudaFree(data_)); }
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
};

TEST(SimulatedMemory, IsNotZeroAtFirst) {
  const Buffer buffer(10);
  EXPECT_EQ(buffer.data()[9], std::byte{kUnwritten});
}

TEST(SimulatedMemory, EndsAProgramThatWroteBehindIt) {
  EXPECT_DEATH(
      {
        const Buffer buffer(10);
        buffer.data()[10] = std::byte{1};
      },
      "written behind the end");
}

TEST(SimulatedMemory, CopiesMustStayInside) {
  const Buffer buffer(10);
  std::byte host[16]{};
  EXPECT_EQ(cudaMemcpy(buffer.data(), host, 10, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(buffer.data(), host, 11, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host, buffer.data() + 5, 6, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  static_cast<void>(cudaGetLastError());
}

TEST(SimulatedStream, DoesNothingBeforeSomebodyAsks) {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  const Buffer buffer(1);
  std::byte host{1};
  EXPECT_EQ(cudaMemcpyAsync(buffer.data(), &host, 1, cudaMemcpyHostToDevice, stream), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  host = std::byte{2};  // too early: it is this one that arrives
  EXPECT_EQ(buffer.data()[0], std::byte{kUnwritten});
  EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
  EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
  EXPECT_EQ(buffer.data()[0], std::byte{2});
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  static_cast<void>(cudaEventDestroy(event));
  static_cast<void>(cudaStreamDestroy(stream));
}

}  // namespace
}  // namespace linnet::simulated
