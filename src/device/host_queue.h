// The queue of a backend that computes on the calling thread: work is done when it is enqueued, completions
// wait for poll(), and the first failure stays.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "device/device.h"

namespace linnet {

class HostQueue {
 public:
  HostQueue() { waiting_.reserve(64); }

  // The first failure is kept. Callable from noexcept code.
  void fail_once(Error error) noexcept {
    if (!failure_) failure_ = std::move(error);
  }
  [[nodiscard]] bool failed() const noexcept { return failure_.has_value(); }

  void completed(Completion done) { waiting_.push_back(std::move(done)); }
  [[nodiscard]] bool pending() const noexcept { return !waiting_.empty(); }

  // Completions may enqueue more; those run in the next poll. Allocates nothing in steady use.
  void poll() {
    running_.swap(waiting_);
    for (Completion& done : running_) done(failure_ ? &*failure_ : nullptr);
    running_.clear();
  }

 private:
  std::optional<Error> failure_;
  std::vector<Completion> waiting_;
  std::vector<Completion> running_;
};

}  // namespace linnet
