// A stack is begun once, by makecontext(); after that setjmp() and longjmp() switch, which call no kernel as
// swapcontext() does: some nanoseconds instead of hundreds. Compiled without _FORTIFY_SOURCE, which takes a
// jump to another stack for a mistake.
#include "simulated_gpu/fibers.h"

#include <ucontext.h>

#include <algorithm>
#include <csetjmp>
#include <stdexcept>

namespace linnet::simulated {
namespace {

constexpr size_t kStackBytes = size_t{128} << 10;
// From one stack to the next, in multiples of a cache line: equal places of all would share one set of the
// cache.
constexpr size_t kStagger = 11 * 64;

}  // namespace

struct Fibers::Home {
  jmp_buf place;
};

struct Fibers::Fiber {
  size_t number = 0;
  const uint32_t* awaited = nullptr;  // goes on when it is no longer `seen`
  uint32_t seen = 0;
  bool begun = false;
  bool done = true;
  jmp_buf place;
  ucontext_t begin{};
  std::unique_ptr<std::byte[]> stack;

  [[nodiscard]] bool can_go_on() const { return !done && (awaited == nullptr || *awaited != seen); }
};

Fibers::Fibers() : home_(std::make_unique<Home>()) {}
// Those that are left wait for work at the bottom of their stacks, which own nothing.
Fibers::~Fibers() = default;

Fibers& Fibers::here() {
  static thread_local Fibers mine;
  return mine;
}

void Fibers::enter() {
  Fibers& all = here();
  Fiber& self = *all.running_;
  for (;;) {
    (*all.work_)(self.number);
    self.done = true;
    --all.left_;
    all.leave();
  }
}

void Fibers::wait_for_change(const uint32_t& count) {
  running_->awaited = &count;
  running_->seen = count;
  leave();
}

Fibers::Fiber* Fibers::next_of_group(size_t from, size_t end) {
  for (size_t i = from; i < end; ++i)
    if (fibers_[i]->can_go_on()) return fibers_[i].get();
  return nullptr;
}

// To the next of the group, or home.
void Fibers::leave() {
  if (_setjmp(running_->place) != 0) return;
  const size_t next = running_->number + 1;
  const size_t end = std::min(count_, (running_->number / kGroup + 1) * kGroup);
  Fiber* other = next_of_group(next, end);
  if (other == nullptr || !other->begun) _longjmp(home_->place, 1);
  running_ = other;
  other->awaited = nullptr;
  (*switched_)(other->number);
  _longjmp(other->place, 1);
}

void Fibers::resume(Fiber& fiber) {
  running_ = &fiber;
  fiber.awaited = nullptr;
  (*switched_)(fiber.number);
  if (_setjmp(home_->place) != 0) return;
  if (fiber.begun) _longjmp(fiber.place, 1);
  fiber.begun = true;
  if (getcontext(&fiber.begin) != 0) throw std::runtime_error("getcontext() failed");
  fiber.begin.uc_stack.ss_sp = fiber.stack.get();
  fiber.begin.uc_stack.ss_size = kStackBytes - fiber.number % 64 * kStagger;
  fiber.begin.uc_link = nullptr;
  makecontext(&fiber.begin, &Fibers::enter, 0);
  setcontext(&fiber.begin);
}

bool Fibers::run_group(size_t begin, size_t end) {
  bool went_on = false;
  while (Fiber* fiber = next_of_group(begin, end)) {
    resume(*fiber);
    went_on = true;
  }
  return went_on;
}

bool Fibers::run(size_t count, const OfOne& work, const OfOne& switched) {
  work_ = &work;
  switched_ = &switched;
  while (fibers_.size() < count) {
    fibers_.push_back(std::make_unique<Fiber>());
    fibers_.back()->number = fibers_.size() - 1;
    fibers_.back()->stack = std::make_unique_for_overwrite<std::byte[]>(kStackBytes);
  }
  for (size_t i = 0; i < count; ++i) {
    fibers_[i]->done = false;
    fibers_[i]->awaited = nullptr;
  }
  count_ = left_ = count;
  while (left_ > 0) {
    bool went_on = false;
    for (size_t begin = 0; begin < count; begin += kGroup)
      went_on = run_group(begin, std::min(count, begin + kGroup)) || went_on;
    if (went_on) continue;
    fibers_.clear();  // in the middle of their work: never to be resumed
    return false;
  }
  return true;
}

}  // namespace linnet::simulated
