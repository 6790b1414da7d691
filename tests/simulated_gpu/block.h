// One block of a kernel on a processor: its threads take turns and meet where a GPU's would. Threads that
// wait for each other in vain end the kernel with an error instead of hanging.
#pragma once

#include <vector_types.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "simulated_gpu/fibers.h"

namespace linnet::simulated {

// Where threads meet: who comes waits until as many have come as must.
struct Meeting {
  uint32_t arrived = 0;
  uint32_t held = 0;  // how often
};

// What the lanes of a warp give each other. Twice, because a lane may give again before all have taken.
struct Warp {
  static constexpr size_t kMost = 32;
  alignas(16) std::array<std::array<std::array<std::byte, kMost>, 32>, 2> given;
  Meeting meeting;
};

struct Barrier {
  Meeting meeting;
  std::array<bool, 2> any{};
};

// A copy into shared memory that was asked for and has not been waited for.
struct CopyOnItsWay {
  std::byte* to;
  const std::byte* from;  // null: zeros
};

struct Thread {
  uint32_t lane = 0;
  Warp* warp = nullptr;
  std::vector<CopyOnItsWay> copies;
};

struct Block {
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::array<Barrier, 16> barriers{};
  std::byte* dynamic_shared = nullptr;
};

struct Here {
  Block* block = nullptr;
  Thread* thread = nullptr;
};
inline thread_local Here here;
// The same by the names that kernels know.
inline thread_local uint3 threadIdx;
inline thread_local uint3 blockIdx;
inline thread_local dim3 blockDim;
inline thread_local dim3 gridDim;

// True of the last who comes, before anybody else goes on.
inline bool meet(Meeting& meeting, uint32_t count) {
  const uint32_t held = meeting.held;
  if (++meeting.arrived == count) {
    meeting.arrived = 0;
    ++meeting.held;
    return true;
  }
  while (meeting.held == held) Fibers::here().wait_for_change(meeting.held);
  return false;
}

// What each lane of the warp gave, once all have.
template <class T>
class Given {
 public:
  Given(const Warp& warp, uint32_t turn) : warp_(warp), turn_(turn) {}
  [[nodiscard]] T operator[](uint32_t lane) const {
    T value;
    std::memcpy(&value, warp_.given[turn_][lane].data(), sizeof value);
    return value;
  }

 private:
  const Warp& warp_;
  uint32_t turn_;
};

template <class T>
[[nodiscard]] Given<T> exchange(const T& mine) {
  static_assert(sizeof(T) <= Warp::kMost);
  Warp& warp = *here.thread->warp;
  const uint32_t turn = warp.meeting.held % 2;
  std::memcpy(warp.given[turn][here.thread->lane].data(), &mine, sizeof mine);
  meet(warp.meeting, 32);
  return {warp, turn};
}

inline void meet_at(uint32_t barrier, uint32_t threads) {
  meet(here.block->barriers.at(barrier).meeting, threads);
}

inline bool any_at(uint32_t barrier, uint32_t threads, bool mine) {
  Barrier& at = here.block->barriers.at(barrier);
  const uint32_t turn = at.meeting.held % 2;
  at.any[turn] = at.any[turn] || mine;
  if (meet(at.meeting, threads)) at.any[1 - turn] = false;  // all have read it, nobody has come again
  return at.any[turn];
}

struct Kernel {
  dim3 grid;
  dim3 block;
  size_t shared = 0;
  std::byte* dynamic_shared = nullptr;  // of the kernels of one file
  std::function<void()> body;           // of one thread
};

// All blocks, one after another. False if threads waited for each other in vain.
[[nodiscard]] bool run(const Kernel& kernel);

// Bytes of what nobody has written yet: memory of a GPU is not zero either.
inline constexpr int kUnwritten = 0xCB;

}  // namespace linnet::simulated
