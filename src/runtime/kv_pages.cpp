#include "runtime/kv_pages.h"

namespace linnet {

KvPages::KvPages(uint32_t pages, uint32_t slots, uint32_t pages_per_slot)
    : pages_per_slot_(pages_per_slot), held_(slots) {
  free_.reserve(pages);
  for (uint32_t page = pages; page-- > 1;) free_.push_back(page);
  for (auto& held : held_) held.reserve(pages_per_slot);
}

bool KvPages::reserve(uint32_t slot, uint32_t tokens) {
  std::vector<uint32_t>& held = held_.at(slot);
  const uint32_t wanted = pages_for(tokens);
  if (wanted <= held.size()) return true;
  if (wanted > pages_per_slot_ || wanted - held.size() > free_.size()) return false;
  while (held.size() < wanted) {
    held.push_back(free_.back());
    free_.pop_back();
  }
  return true;
}

void KvPages::release(uint32_t slot) {
  std::vector<uint32_t>& held = held_.at(slot);
  while (!held.empty()) {
    free_.push_back(held.back());
    held.pop_back();
  }
}

}  // namespace linnet
