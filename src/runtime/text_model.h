// A text model on a device: weights, caches and compiled programs, and the few things that can be done with
// them. All of them enqueue and return; results come through completions, which run in Device::poll().
//
// A sequence lives in a slot. Its tokens are fed as prompt parts, several sequences in one batch if that
// suits; the last part starts sampling, and from then on every decode() advances all slots that have tokens
// left. The device keeps each slot's token and position, so decode() needs nothing from the host and any
// number of steps may be in flight.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "device/device.h"
#include "files/model_files.h"
#include "models/llama.h"
#include "program/ops/sample.h"
#include "runtime/kv_pages.h"
#include "runtime/memory_plan.h"
#include "runtime/text_options.h"
#include "runtime/text_programs.h"
#include "runtime/weights.h"

namespace linnet {

// Tokens that a slot is given in one batch.
struct PromptPart {
  uint32_t slot = 0;
  std::span<const int32_t> tokens = {};  // appended to what the slot holds; not empty
  // Tokens to sample after these, the one drawn from the last row included; cut so that the context is not
  // passed. 0: the prompt goes on.
  uint32_t generate = 0;
  // The last rows whose logits are wanted. With generate > 0 it is always the last row alone.
  uint32_t logits = 0;
};

class TextModel {
 public:
  // Plans first: throws Error(does_not_fit) before anything is allocated, Error(model) for a file that does
  // not hold together, Error(usage) for impossible options. The device must outlive the model.
  TextModel(ModelFiles files, Device& device, const TextModelOptions& options = {},
            const LoadProgress& progress = {});
  TextModel(const TextModel&) = delete;
  TextModel& operator=(const TextModel&) = delete;
  ~TextModel();

  [[nodiscard]] const ModelFiles& files() const noexcept { return files_; }
  [[nodiscard]] const LlamaConfig& config() const noexcept { return programs_.config; }
  [[nodiscard]] const MemoryPlan& plan() const noexcept { return plan_; }
  [[nodiscard]] Device& device() const noexcept { return device_; }
  [[nodiscard]] uint32_t context() const noexcept { return programs_.context; }
  [[nodiscard]] uint32_t slots() const noexcept { return programs_.slots; }
  [[nodiscard]] uint32_t vocabulary() const noexcept { return programs_.config.vocabulary; }
  [[nodiscard]] uint32_t prompt_rows() const noexcept { return programs_.prompt_rows; }
  [[nodiscard]] uint32_t free_slots() const noexcept;
  // Of the keys and values of one token in all layers: each token after it reads them.
  [[nodiscard]] size_t kv_bytes_per_token() const;

  // Tokens at which sampling ends, for all slots; at most kMaxStopIds.
  void set_stop_ids(std::span<const int32_t> ids);

  // Takes the lowest free slot and reserves pages for `tokens` tokens, so that a sequence that has begun can
  // finish. Throws Error(usage) if that is more than the context, or if no slot is free.
  [[nodiscard]] uint32_t begin(const SampleParams& sampling, uint32_t tokens);
  // How tokens of a slot that has begun are drawn from now on.
  void set_sampling(uint32_t slot, const SampleParams& sampling);
  // One batch. At most prompt_rows() tokens in all, each slot once. Throws Error(usage), and does nothing, if
  // a token is not in the vocabulary, a slot was not begun or a sequence would pass what it reserved.
  void prompt(std::span<const PromptPart> parts);
  // One step for every slot with tokens left to sample. Allocates nothing.
  void decode();

  // Tokens in the slot, those of the steps in flight included: token i of the sequence stands at position i,
  // and the last `sampled` of them come from the device. What the device ended early by a stop id counts as
  // if it had gone on.
  [[nodiscard]] uint32_t length(uint32_t slot) const;
  // How many of them were sampled since the last prompt.
  [[nodiscard]] uint32_t sampled(uint32_t slot) const;
  // True iff the next decode() may advance the slot.
  [[nodiscard]] bool generating(uint32_t slot) const;
  // The sampled tokens at positions first, first + 1, …: at most kRingTokens behind length(). `into` must
  // live until `done` was called, and length() may not pass first + kRingTokens before. Past a stop id the
  // contents mean nothing.
  void read_tokens(uint32_t slot, uint32_t first, std::span<int32_t> into, Completion done);
  // Forgets all tokens from `tokens` on and stops sampling; the next prompt part goes on from there. The keys
  // and values of the last sampled token are not stored yet: it cannot be kept, only fed again.
  void truncate(uint32_t slot, uint32_t tokens);
  // Gives the slot and its pages back. Steps in flight do no harm: what follows is behind them in the queue.
  void release(uint32_t slot);

  // Logits of the last run: after prompt() row i is the i-th row that had logits, in the order of the parts;
  // after decode() row i is slot i. `into` has vocabulary() elements and must live until `done` was called.
  void read_logits(uint32_t row, std::span<float> into, Completion done);
  // Calls `done` when all that was enqueued before it has run.
  void fence(Completion done);

 private:
  struct Slot {
    bool begun = false;
    uint32_t reserved = 0;  // tokens there is room for
    uint32_t length = 0;
    uint32_t sampled = 0;
    uint32_t remaining = 0;  // tokens that decode may still sample, as far as the host knows
  };
  struct Compiled {
    std::unique_ptr<Executable> executable;
    std::unique_ptr<Launch> launch;
  };

  void allocate_state();
  [[nodiscard]] Buffer& state(std::string_view name) const;
  void compile_programs();
  void bind(Compiled& compiled, const Program& program);
  void prepare_staging();
  void reset_state();
  void check_parts(std::span<const PromptPart> parts) const;
  [[nodiscard]] const Slot& begun(uint32_t slot) const;
  void write_words(Buffer& to, size_t first, std::span<const int32_t> words);
  void write_page_row(uint32_t slot);
  void write_slot_state(uint32_t slot, uint32_t position, uint32_t remaining);

  ModelFiles files_;
  Device& device_;
  TextPrograms programs_;
  MemoryPlan plan_;
  LoadedWeights weights_;
  std::vector<NamedBuffer> state_;  // by name: what all programs share
  std::unique_ptr<Buffer> scratch_;
  std::vector<Compiled> prompts_;  // ascending by rows
  std::vector<Compiled> decode_;   // ascending by slots
  KvPages pages_;
  std::vector<Slot> slots_;

  // Found once, so that a step looks nothing up.
  struct StateBuffers {
    Buffer* tokens = nullptr;
    Buffer* positions = nullptr;
    Buffer* remaining = nullptr;
    Buffer* params = nullptr;
    Buffer* stop_ids = nullptr;
    Buffer* ring = nullptr;
    Buffer* page_table = nullptr;
    Buffer* logits = nullptr;
  } buffers_;
  struct PromptInputs {
    Buffer* tokens = nullptr;
    Buffer* positions = nullptr;
    Buffer* row_starts = nullptr;
    Buffer* sequence_slots = nullptr;
    Buffer* last_rows = nullptr;
    Buffer* sample_slots = nullptr;
  } inputs_;
  struct PromptStaging {  // the same on the host, of full capacity from the start
    std::vector<int32_t> tokens, positions, row_starts, sequence_slots, last_rows, sample_slots;
  } staging_;
  std::vector<int32_t> page_row_;
  int32_t fence_word_ = 0;
};

}  // namespace linnet
