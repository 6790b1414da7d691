// A pool of threads that run one function together and meet at barriers in between. Threads spin for a short
// while (a barrier then costs about half a microsecond) and park when nothing comes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace linnet {

class ThreadPool {
 public:
  // `threads` includes the calling thread; at least 1.
  explicit ThreadPool(unsigned threads);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  [[nodiscard]] unsigned size() const noexcept { return threads_; }

  // Calls work(thread) on every thread of the pool, the caller being thread 0, and returns when all have
  // returned. `work` must not throw. One caller at a time.
  template <class Work>
  void run(Work&& work) noexcept {
    auto call = [](void* context, unsigned thread) {
      (*static_cast<std::remove_reference_t<Work>*>(context))(thread);
    };
    run_erased(call, &work);
  }

  // Inside run(): every thread must call it the same number of times; returns when all have arrived.
  void barrier() noexcept;

 private:
  using Erased = void (*)(void* context, unsigned thread);
  void run_erased(Erased call, void* context) noexcept;
  void serve(unsigned thread) noexcept;

  const unsigned threads_;
  Erased call_ = nullptr;
  void* context_ = nullptr;
  alignas(64) std::atomic<uint32_t> generation_{0};  // a change starts the next run
  alignas(64) std::atomic<uint32_t> arrived_{0};
  alignas(64) std::atomic<uint32_t> phase_{0};  // a change opens the barrier
  bool stop_ = false;
  std::vector<std::jthread> workers_;
};

// Threads to use when the user does not say: one per processor this process may run on.
[[nodiscard]] unsigned default_threads() noexcept;

}  // namespace linnet
