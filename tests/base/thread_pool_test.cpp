#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <vector>

namespace linnet {
namespace {

TEST(ThreadPool, RunsEveryThreadOnce) {
  for (const unsigned threads : {1u, 2u, 3u, 8u}) {
    ThreadPool pool(threads);
    ASSERT_EQ(pool.size(), threads);
    std::vector<int> calls(threads, 0);
    pool.run([&](unsigned thread) { calls[thread] += 1; });
    EXPECT_EQ(calls, std::vector<int>(threads, 1));
  }
}

TEST(ThreadPool, TreatsZeroThreadsAsOne) {
  ThreadPool pool(0);
  EXPECT_EQ(pool.size(), 1u);
  int calls = 0;
  pool.run([&](unsigned) { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(ThreadPool, SeesWhatEarlierRunsWrote) {
  ThreadPool pool(4);
  std::vector<uint64_t> numbers(4, 0);
  for (int run = 0; run < 2000; ++run) {
    pool.run([&](unsigned thread) { numbers[thread] += thread + 1; });
    ASSERT_EQ(std::accumulate(numbers.begin(), numbers.end(), uint64_t{0}),
              10u * (static_cast<uint64_t>(run) + 1));
  }
}

// Each phase reads what a neighbour wrote in the one before: a barrier that lets a thread through early shows
// at once.
void pass_around(unsigned threads, unsigned phases) {
  ThreadPool pool(threads);
  std::vector<std::vector<unsigned>> written(phases + 1, std::vector<unsigned>(threads, 0));
  pool.run([&](unsigned thread) {
    for (unsigned phase = 0; phase < phases; ++phase) {
      written[phase + 1][thread] = written[phase][(thread + 1) % threads] + 1;
      pool.barrier();
    }
  });
  EXPECT_EQ(written.back(), std::vector<unsigned>(threads, phases));
}

TEST(ThreadPool, BarrierHoldsEveryThread) {
  pass_around(1, 100);
  pass_around(2, 3000);
  pass_around(4, 1000);
}

TEST(ThreadPool, WorksWithMoreThreadsThanProcessors) {
  pass_around(default_threads() * 4 + 1, 100);
}

TEST(ThreadPool, WakesParkedThreads) {
  ThreadPool pool(3);
  for (int run = 0; run < 5; ++run) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // long past spinning
    std::atomic<int> calls{0};
    pool.run([&](unsigned) { ++calls; });
    EXPECT_EQ(calls.load(), 3);
  }
}

TEST(ThreadPool, CanBeMadeAndDestroyedWithoutRunning) {
  for (int i = 0; i < 50; ++i) ThreadPool pool(4);
}

TEST(ThreadPool, DefaultIsAtLeastOne) {
  EXPECT_GE(default_threads(), 1u);
}

}  // namespace
}  // namespace linnet
