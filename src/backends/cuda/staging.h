// Places in a ring of pinned memory for what is on its way to the host, taken and given back in the same
// order.
#pragma once

#include <cstddef>
#include <optional>

namespace linnet::cuda {

class Staging {
 public:
  struct Place {
    size_t offset = 0;
    size_t taken = 0;  // of the ring, with what was left over at its end
  };

  explicit Staging(size_t bytes) noexcept : size_(bytes) {}

  // None if there is no room now. Places begin at multiples of 64 bytes.
  [[nodiscard]] std::optional<Place> take(size_t bytes) noexcept {
    if (bytes > size_) return {};
    const size_t rounded = (bytes + 63) / 64 * 64;
    if (used_ == 0) head_ = 0;
    const bool begins_anew = head_ + rounded > size_;
    const size_t left_over = begins_anew ? size_ - head_ : 0;
    if (used_ + left_over + rounded > size_) return {};
    const Place place{.offset = begins_anew ? 0 : head_, .taken = left_over + rounded};
    head_ = place.offset + rounded;
    used_ += place.taken;
    return place;
  }
  void give_back(const Place& oldest) noexcept { used_ -= oldest.taken; }

 private:
  size_t size_;
  size_t head_ = 0;
  size_t used_ = 0;
};

}  // namespace linnet::cuda
