// The instructions of src/backends/cuda/kernels/instructions.cuh, for a simulated GPU: found before those.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <chrono>
#include <cmath>

#include "simulated_gpu/block.h"

namespace linnet::cuda {

inline unsigned long long nanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<unsigned long long>(std::chrono::nanoseconds(now).count());
}

// ex2.approx.ftz: numbers too small for a normal one are zeros, before and after.
inline float power_of_two(float x) {
  const float y = std::exp2(x);
  return y < 0x1p-126f ? 0.0f : y;
}

inline void meet_at(uint32_t barrier, uint32_t threads) {
  simulated::meet_at(barrier, threads);
}
template <uint32_t kBarrier, uint32_t kThreads>
void meet_at() {
  simulated::meet_at(kBarrier, kThreads);
}
template <uint32_t kBarrier, uint32_t kThreads>
bool any_at(bool mine) {
  return simulated::any_at(kBarrier, kThreads, mine);
}

// A lane's part of both factors, as PTX ISA lays out mma.m16n8k16: of the left one rows l / 4 and l / 4 + 8,
// columns 2 (l mod 4) and the next, and those plus 8; of the right one column l / 4 and the same rows.
struct Factors {
  uint32_t left[4];
  uint32_t right[2];
};

template <class T>
float number_of(uint32_t word, uint32_t which) {
  return static_cast<float>(std::bit_cast<T>(static_cast<uint16_t>(word >> (16 * which))));
}

template <class T>
void multiply_add(float (&sum)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  const auto all = simulated::exchange(Factors{{a[0], a[1], a[2], a[3]}, {b0, b1}});
  const uint32_t lane = simulated::here.thread->lane;
  for (uint32_t i = 0; i < 4; ++i) {
    const uint32_t row = lane / 4 % 8;
    const uint32_t column = 2 * (lane % 4) + i % 2;
    double total = sum[i];
    for (uint32_t k = 0; k < 16; ++k) {
      const uint32_t left = all[4 * row + k % 8 / 2].left[i / 2 + 2 * (k / 8)];
      const uint32_t right = all[4 * column + k % 8 / 2].right[k / 8];
      total += static_cast<double>(number_of<T>(left, k % 2)) * number_of<T>(right, k % 2);
    }
    sum[i] = static_cast<float>(total);
  }
}

inline const std::byte* in_shared(uint32_t address) {
  return simulated::here.block->dynamic_shared + address;
}

inline uint16_t number_in_shared(uint32_t row_address, uint32_t i) {
  uint16_t bits;
  std::memcpy(&bits, in_shared(row_address) + 2 * i, sizeof bits);
  return bits;
}

inline void load_matrices(uint32_t (&into)[4], uint32_t address) {
  const auto rows = simulated::exchange(address);
  const uint32_t lane = simulated::here.thread->lane;
  for (uint32_t m = 0; m < 4; ++m)
    std::memcpy(&into[m], in_shared(rows[8 * m + lane / 4]) + 4 * (lane % 4), sizeof into[m]);
}
inline void load_transposed(uint32_t (&into)[4], uint32_t address) {
  const auto rows = simulated::exchange(address);
  const uint32_t lane = simulated::here.thread->lane;
  for (uint32_t m = 0; m < 4; ++m) {
    const uint32_t first = number_in_shared(rows[8 * m + 2 * (lane % 4)], lane / 4);
    const uint32_t second = number_in_shared(rows[8 * m + 2 * (lane % 4) + 1], lane / 4);
    into[m] = first | second << 16;
  }
}

// Copies arrive as late as they may: when they are waited for.
inline void copy_16(uint32_t to, const std::byte* from, bool there) {
  simulated::here.thread->copies.push_back(
      {simulated::here.block->dynamic_shared + to, there ? from : nullptr});
}
inline void wait_for_copies() {
  for (const simulated::CopyOnItsWay& copy : simulated::here.thread->copies) {
    if (copy.from == nullptr) {
      std::memset(copy.to, 0, 16);
    } else {
      std::memcpy(copy.to, copy.from, 16);
    }
  }
  simulated::here.thread->copies.clear();
}

}  // namespace linnet::cuda
