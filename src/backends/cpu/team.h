// The threads that run one program together, as one kernel sees them: its place among them, tiles to claim,
// barriers.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

#include "base/thread_pool.h"
#include "program/shape.h"

namespace linnet::cpu {

// The first failure of a run, from whichever thread saw it.
class FailureSlot {
 public:
  void set(std::string message) noexcept {
    const std::lock_guard lock(mutex_);
    if (!failed_.exchange(true)) message_ = std::move(message);
  }
  [[nodiscard]] bool failed() const noexcept { return failed_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::string take() {
    const std::lock_guard lock(mutex_);
    failed_ = false;
    return std::move(message_);
  }

 private:
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::string message_;
};

class Team {
 public:
  // A kernel may claim tiles in so many phases.
  static constexpr size_t kPhases = 3;
  using Counters = std::array<std::atomic<uint32_t>, kPhases>;

  Team(ThreadPool& pool, unsigned thread, std::span<const uint32_t> extents, FailureSlot& failure)
      : pool_(pool), extents_(extents), failure_(failure), thread_(thread) {}

  void enter(Counters& counters) noexcept {
    counters_ = &counters;
    phase_ = 0;
  }

  [[nodiscard]] unsigned thread() const noexcept { return thread_; }
  [[nodiscard]] unsigned size() const noexcept { return pool_.size(); }
  [[nodiscard]] size_t count(Dim dim) const noexcept { return dim.fixed() ? dim.max : extents_[dim.extent]; }

  // Calls work(i) for each i < n, each on one thread of the team; every thread must call it. No barrier at
  // the end.
  template <class Work>
  void share(size_t n, Work&& work) noexcept {
    std::atomic<uint32_t>& next = (*counters_)[phase_++];
    for (;;) {
      const uint32_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= n) return;
      work(size_t{i});
    }
  }

  void barrier() noexcept { pool_.barrier(); }

  template <class... Parts>
  void fail(const Parts&... parts) noexcept {
    failure_.set(concat(parts...));
  }

 private:
  ThreadPool& pool_;
  std::span<const uint32_t> extents_;
  FailureSlot& failure_;
  Counters* counters_ = nullptr;
  size_t phase_ = 0;
  unsigned thread_;
};

}  // namespace linnet::cpu
