// Stacks that one thread of the processor runs in turn: each goes on until it waits for a count to change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace linnet::simulated {

class Fibers {
 public:
  using OfOne = std::function<void(size_t)>;
  // Those that mostly wait for each other: a group goes on for as long as one of it can, because what 32
  // stacks touch stays in the nearest cache.
  static constexpr size_t kGroup = 32;

  Fibers();
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;
  ~Fibers();

  // work(0) to work(count - 1), each on a stack of its own, until all have returned; `switched` is told whose
  // turn it is. False if all that are left wait in vain.
  [[nodiscard]] bool run(size_t count, const OfOne& work, const OfOne& switched);

  // Of the work that runs now: lets others go on until the count is another.
  void wait_for_change(const uint32_t& count);

  // Of this thread.
  [[nodiscard]] static Fibers& here();

 private:
  struct Fiber;
  struct Home;
  static void enter();
  [[nodiscard]] Fiber* next_of_group(size_t from, size_t end);
  [[nodiscard]] bool run_group(size_t begin, size_t end);
  void leave();
  void resume(Fiber& fiber);

  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::unique_ptr<Home> home_;
  Fiber* running_ = nullptr;
  size_t count_ = 0;
  size_t left_ = 0;
  const OfOne* work_ = nullptr;
  const OfOne* switched_ = nullptr;
};

}  // namespace linnet::simulated
