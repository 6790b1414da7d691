// A sequence that stays in its slot between generations: one that begins with the same tokens, as a
// conversation does that has gone on, finds their keys and values there and feeds only the rest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/text_model.h"
#include "text/token.h"

namespace linnet {

class KeptSequence {
 public:
  // Takes no slot yet. The model must outlive this object.
  explicit KeptSequence(TextModel& model) noexcept : model_(model) {}
  KeptSequence(const KeptSequence&) = delete;
  KeptSequence& operator=(const KeptSequence&) = delete;
  ~KeptSequence() { forget(); }

  // The slot, with room for the whole context. It holds the first tokens of the prompt that it had already,
  // TextModel::length() of them and never all: the last one is fed for its logits. Throws Error(usage) if no
  // slot is free. The prompt is not empty.
  [[nodiscard]] uint32_t resume(std::span<const Token> prompt, const SampleParams& sampling);
  // Ends a generation in the slot: these are the tokens whose keys and values it has stored.
  void keep(std::vector<Token> tokens);
  // Gives the slot back.
  void forget() noexcept;

 private:
  TextModel& model_;
  std::optional<uint32_t> slot_;
  std::vector<Token> tokens_;
};

}  // namespace linnet
