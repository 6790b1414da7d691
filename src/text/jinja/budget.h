// Counts what a rendering has used and ends it, by Failure, at the limits of Options. Everything that a
// template can make long, large or deep passes through here.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "text/jinja/failure.h"
#include "text/jinja/options.h"

namespace linnet::jinja {

// What can be changed and can therefore come to hold itself, directly or through others.
class Holder {
 public:
  Holder() = default;
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  virtual ~Holder() = default;
  virtual void release() noexcept = 0;  // lets go of all values
};

class Budget {
 public:
  explicit Budget(const Options& options) : options_(options), steps_left_(options.max_steps) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;
  ~Budget() {
    for (const std::shared_ptr<Holder>& holder : kept_) holder->release();
  }

  // For a holder that its maker is done with: if others still refer to it, it is kept until the end and
  // emptied then. So cycles end, and a long chain of holders is never destroyed by recursion.
  void keep_if_shared(std::shared_ptr<Holder> holder) noexcept {
    constexpr size_t kHolderBytes = 256;
    if (holder.use_count() == 1) return;
    if (kHolderBytes > options_.max_memory - memory_) {
      holder->release();
      is_out_of_memory_ = true;  // what the template does next would be wrong: the next step ends it
      steps_left_ = 0;
      return;
    }
    memory_ += kHolderBytes;
    kept_.push_back(std::move(holder));
  }

  void spend(uint64_t steps = 1) {
    if (steps > steps_left_) refuse_steps();
    steps_left_ -= steps;
  }

  // For work in proportion to the bytes of a string.
  void spend_bytes(size_t bytes) { spend(bytes / 64 + 1); }
  // For work on each of its characters, which takes several times as long.
  void spend_characters(size_t bytes) { spend(bytes / 8 + 1); }

  // Call before making a string of so many bytes: it may be one, and the time to fill it is paid.
  void prepare_text(size_t bytes) {
    if (bytes > options_.max_output) raise("a text of more than ", options_.max_output, " bytes");
    require_memory(bytes);
    spend_bytes(bytes);
  }

  // Call before making count elements of the given size.
  void prepare_elements(size_t count, size_t element_bytes) {
    spend(count);
    if (count > options_.max_memory / element_bytes) exceed_memory();
    require_memory(count * element_bytes);
  }

  void check_value_depth(size_t depth) const {
    if (depth > options_.max_value_depth)
      raise("values nested more than ", options_.max_value_depth, " deep");
  }

  [[nodiscard]] uint64_t steps_used() const noexcept { return options_.max_steps - steps_left_; }
  [[nodiscard]] size_t peak_memory() const noexcept { return peak_memory_; }
  [[nodiscard]] const Options& options() const noexcept { return options_; }

 private:
  friend class Charge;
  friend class DepthGuard;

  void require_memory(size_t bytes) const {
    if (bytes > options_.max_memory - memory_) exceed_memory();
  }
  [[noreturn]] void refuse_steps() const {
    if (is_out_of_memory_) exceed_memory();
    raise("more than ", options_.max_steps, " steps");
  }
  [[noreturn]] void exceed_memory() const { raise("values of more than ", options_.max_memory, " bytes"); }

  const Options options_;
  uint64_t steps_left_;
  size_t memory_ = 0;
  size_t peak_memory_ = 0;
  size_t depth_ = 0;
  bool is_out_of_memory_ = false;
  std::vector<std::shared_ptr<Holder>> kept_;
};

// Bytes held against a budget for as long as the value that owns this lives. The budget outlives all values
// of its rendering; values that came from outside hold nothing.
class Charge {
 public:
  Charge() = default;
  Charge(Budget& budget, size_t bytes) : budget_(&budget), bytes_(bytes) {
    budget.require_memory(bytes);
    budget.memory_ += bytes;
    if (budget.memory_ > budget.peak_memory_) budget.peak_memory_ = budget.memory_;
  }
  Charge(Charge&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Charge& operator=(Charge&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;
  ~Charge() {
    if (budget_) budget_->memory_ -= bytes_;
  }

 private:
  Budget* budget_ = nullptr;
  size_t bytes_ = 0;
};

// One level of recursion for as long as it lives.
class DepthGuard {
 public:
  explicit DepthGuard(Budget& budget) : budget_(budget) {
    if (budget.depth_ >= budget.options_.max_depth) {
      raise("more than ", budget.options_.max_depth, " nested evaluations");
    }
    ++budget.depth_;
  }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;
  ~DepthGuard() { --budget_.depth_; }

 private:
  Budget& budget_;
};

}  // namespace linnet::jinja
