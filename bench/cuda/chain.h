// A decoder with random weights, bound to a device as a model would be: the chain of stages that decode of
// one sequence runs, in any shape and without a file.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "check/bound_program.h"
#include "device/device.h"
#include "models/llama_config.h"

namespace linnet::bench {

class Chain {
 public:
  // Caches have room for `capacity` tokens. Throws Error(does_not_fit) before anything is loaded.
  Chain(Device& device, const LlamaConfig& config, Format format, uint32_t capacity);
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;
  ~Chain();

  // Ops that each need all of the one before: five a layer, and the head.
  [[nodiscard]] size_t stages() const noexcept { return stages_; }
  // All weights but the table, of which a run reads one row.
  [[nodiscard]] size_t weight_bytes() const noexcept { return weight_bytes_; }
  // Keys and values of one token in all layers.
  [[nodiscard]] size_t kv_bytes_a_token() const noexcept { return kv_bytes_a_token_; }

  // Seconds that one of `runs` runs in a row takes. The first one attends to `context` tokens, its own
  // included, and each to one more than the one before, as an answer grows.
  [[nodiscard]] double seconds_a_run(uint32_t context, uint32_t runs);

 private:
  class Inputs;

  std::unique_ptr<const Inputs> inputs_;
  std::unique_ptr<BoundProgram> bound_;
  Value positions_, remaining_;
  size_t stages_ = 0;
  size_t weight_bytes_ = 0;
  size_t kv_bytes_a_token_ = 0;
};

}  // namespace linnet::bench
