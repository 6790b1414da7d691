// Which pages of the caches belong to which slot. Page 0 belongs to nobody: slots without work write there.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "program/ops/paging.h"

namespace linnet {

class KvPages {
 public:
  // `pages` includes page 0; a slot never holds more than pages_per_slot.
  KvPages(uint32_t pages, uint32_t slots, uint32_t pages_per_slot);

  // Makes the slot hold pages for `tokens` tokens; true if it does. It keeps what it holds. False, and
  // nothing changes, if there are not enough pages or the slot may not hold so many.
  [[nodiscard]] bool reserve(uint32_t slot, uint32_t tokens);
  // Gives all pages of the slot back.
  void release(uint32_t slot);

  // The slot's pages in the order of its tokens.
  [[nodiscard]] std::span<const uint32_t> pages_of(uint32_t slot) const { return held_.at(slot); }
  [[nodiscard]] uint32_t free_pages() const noexcept { return static_cast<uint32_t>(free_.size()); }

  // Pages for one slot at full context.
  [[nodiscard]] static uint32_t pages_for(uint32_t tokens) noexcept {
    return tokens / kPageTokens + (tokens % kPageTokens != 0 ? 1 : 0);
  }

 private:
  uint32_t pages_per_slot_;
  std::vector<uint32_t> free_;  // the next one at the back
  std::vector<std::vector<uint32_t>> held_;
};

}  // namespace linnet
