// A queue in one piece of memory: allocates nothing once it has been as long as it gets, which std::deque
// does every few elements.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace linnet {

template <class T>
class Fifo {
 public:
  Fifo() { items_.reserve(kRoom); }

  [[nodiscard]] bool empty() const noexcept { return first_ == items_.size(); }
  [[nodiscard]] size_t size() const noexcept { return items_.size() - first_; }
  [[nodiscard]] const T& front() const { return items_[first_]; }

  void push(T item) {
    // Moved to the front when half or more of the memory is free there: on average less than once each.
    if (items_.size() == items_.capacity() && 2 * first_ >= items_.size()) {
      items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    items_.push_back(std::move(item));
  }

  [[nodiscard]] T pop() {
    T item = std::move(items_[first_++]);
    if (empty()) {
      items_.clear();
      first_ = 0;
    }
    return item;
  }

 private:
  static constexpr size_t kRoom = 64;
  std::vector<T> items_;
  size_t first_ = 0;  // those before it were popped
};

}  // namespace linnet
