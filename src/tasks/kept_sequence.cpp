#include "tasks/kept_sequence.h"

#include <algorithm>

namespace linnet {

uint32_t KeptSequence::resume(std::span<const Token> prompt, const SampleParams& sampling) {
  if (slot_) {
    model_.set_sampling(*slot_, sampling);
  } else {
    slot_ = model_.begin(sampling, model_.context());
  }
  const auto most = std::span(tokens_).first(std::min(tokens_.size(), prompt.size() - 1));
  const auto common = std::ranges::mismatch(most, prompt).in1 - most.begin();
  tokens_.resize(static_cast<size_t>(common));
  model_.truncate(*slot_, static_cast<uint32_t>(common));
  return *slot_;
}

void KeptSequence::keep(std::vector<Token> tokens) {
  model_.truncate(slot_.value(), static_cast<uint32_t>(tokens.size()));
  tokens_ = std::move(tokens);
}

void KeptSequence::forget() noexcept {
  if (slot_) model_.release(*slot_);
  slot_.reset();
  tokens_.clear();
}

}  // namespace linnet
