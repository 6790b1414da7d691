#include "base/thread_pool.h"

#include <sched.h>

#include <algorithm>

namespace linnet {
namespace {

// Long enough that the threads of one decode step never park between ops (an op takes 10–200 µs on two
// cores), short enough that an idle program burns no processor: about 50 µs at 3 GHz.
constexpr int kSpins = 2000;

void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Returns when word no longer holds `seen`.
void wait_for_change(const std::atomic<uint32_t>& word, uint32_t seen) noexcept {
  for (int i = 0; i < kSpins; ++i) {
    if (word.load(std::memory_order_acquire) != seen) return;
    pause();
  }
  while (word.load(std::memory_order_acquire) == seen) word.wait(seen, std::memory_order_acquire);
}

}  // namespace

ThreadPool::ThreadPool(unsigned threads) : threads_(std::max(threads, 1u)) {
  workers_.reserve(threads_ - 1);
  for (unsigned thread = 1; thread < threads_; ++thread) {
    workers_.emplace_back([this, thread] { serve(thread); });
  }
}

ThreadPool::~ThreadPool() {
  stop_ = true;
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
}

void ThreadPool::serve(unsigned thread) noexcept {
  uint32_t seen = 0;
  for (;;) {
    wait_for_change(generation_, seen);
    seen = generation_.load(std::memory_order_acquire);
    if (stop_) return;
    call_(context_, thread);
    barrier();
  }
}

void ThreadPool::run_erased(Erased call, void* context) noexcept {
  call_ = call;
  context_ = context;
  if (threads_ > 1) {
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_all();
  }
  call(context, 0);
  barrier();
}

void ThreadPool::barrier() noexcept {
  if (threads_ == 1) return;
  const uint32_t phase = phase_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
    arrived_.store(0, std::memory_order_relaxed);
    phase_.fetch_add(1, std::memory_order_release);
    phase_.notify_all();
  } else {
    wait_for_change(phase_, phase);
  }
}

unsigned default_threads() noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace linnet
