// Generation of text as a step machine: step() enqueues what may be in flight and returns, completions (they
// run in Device::poll()) hand out text and advance it. Nothing in here blocks; run_to_end() is the native
// wrapper that pumps.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "runtime/text_model.h"
#include "tasks/kept_sequence.h"
#include "text/detokenizer.h"
#include "text/stop_strings.h"
#include "text/tokenizer.h"

namespace linnet {

enum class FinishReason : uint8_t {
  none,       // still running
  stop,       // an end-of-generation token or a stop string
  length,     // max_tokens
  context,    // the context is full
  cancelled,  // cancel(), or the callback returned false
  error,      // the device failed or the callback threw: see error()
};

[[nodiscard]] std::string_view to_string(FinishReason reason) noexcept;

struct GenerateOptions {
  uint32_t max_tokens = 0;  // 0: until the model ends or the context is full
  float temperature = 0;    // ≤ 0: greedy
  uint32_t top_k = 0;       // 0: all
  float top_p = 1;
  uint64_t seed = 0;
  std::vector<std::string> stop = {};  // strings that end the text; they are not part of it
  bool ignore_end = false;             // go on past end-of-generation tokens (benchmarks)
  uint32_t steps_ahead = 0;            // decode steps in flight; 0: what the device says
  DetokenizeOptions detokenize = {};
};

struct GenerateStatistics {
  uint32_t prompt_tokens = 0;
  uint32_t kept_tokens = 0;        // of the prompt: in the cache from before, not read again
  uint32_t generated_tokens = 0;   // an end-of-generation token is not counted
  double first_token_seconds = 0;  // from the first step() to the first token on the host
  double prompt_seconds = 0;       // the same span: the first token is drawn by the last prompt batch
  double decode_seconds = 0;       // from the first token to the last

  // Tokens per second; 0 where there is nothing to divide.
  [[nodiscard]] double prompt_speed() const noexcept;
  [[nodiscard]] double decode_speed() const noexcept;
};

// A piece of text, valid UTF-8; false stops.
using TextCallback = std::function<bool(std::string_view piece)>;

class Generation {
 public:
  // Takes a slot; with `kept` that one, where what the prompt has in common with it is not read again, and
  // leaves there what it knows for the next. Throws Error(usage) if the prompt is empty, does not leave room
  // for one token in the context (the message has both numbers), a token is not in the vocabulary, or an
  // option is out of range. Model, tokenizer and `kept` must outlive this object.
  Generation(TextModel& model, const Tokenizer& tokenizer, std::vector<Token> prompt,
             const GenerateOptions& options, TextCallback on_text = {}, KeptSequence* kept = nullptr);
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;
  // Pumps the device until nothing of this generation is in flight; where that may not block, keep the object
  // until idle().
  ~Generation();

  // Enqueues one prompt batch, or decode steps up to steps_ahead. Does nothing when finished.
  void step();
  [[nodiscard]] bool finished() const noexcept { return reason_ != FinishReason::none; }
  // True iff no completion of this generation is outstanding.
  [[nodiscard]] bool idle() const noexcept { return in_flight_ == 0; }
  // From any thread, or a signal handler; takes effect at the next step() or completion.
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }

  [[nodiscard]] FinishReason reason() const noexcept { return reason_; }
  [[nodiscard]] std::exception_ptr error() const noexcept { return error_; }
  [[nodiscard]] const std::vector<Token>& tokens() const noexcept { return tokens_; }  // generated so far
  [[nodiscard]] const std::string& stop_string() const noexcept {
    return stop_string_;
  }  // the one that was met
  [[nodiscard]] const GenerateStatistics& statistics() const noexcept { return statistics_; }

  static constexpr uint32_t kMaxStepsAhead = 16;
  static_assert(kMaxStepsAhead < kRingTokens);  // what is being read is not overwritten

 private:
  using Clock = std::chrono::steady_clock;

  void enqueue_prompt();
  void enqueue_decode();
  void read_sampled();
  void prompt_arrived(const Error* error);
  void token_arrived(uint32_t index, const Error* error);
  void accept(Token token);
  // Both are false if this has finished: a stop string was met, the callback wants no more or threw.
  bool give_out(std::string_view text);
  bool call_back(std::string_view text);
  void end_of_text(FinishReason reason);
  void finish(FinishReason reason);
  [[nodiscard]] std::vector<Token> stored() const;  // whose keys and values are in the slot for certain

  TextModel& model_;
  const Tokenizer& tokenizer_;
  std::vector<Token> prompt_;
  GenerateOptions options_;
  TextCallback on_text_;
  Detokenizer detokenizer_;
  std::optional<StopStrings> stops_;
  KeptSequence* kept_;
  uint32_t slot_ = 0;
  uint32_t limit_ = 0;  // tokens to generate at most
  bool limited_by_context_ = false;

  uint32_t prompt_enqueued_ = 0;
  uint32_t reads_enqueued_ = 0;  // sampled tokens asked for
  uint32_t in_flight_ = 0;
  std::array<Token, kMaxStepsAhead> arriving_{};  // token i lands in entry i mod the size
  std::vector<Token> tokens_;
  std::string stop_string_;
  std::atomic<bool> cancelled_{false};
  FinishReason reason_ = FinishReason::none;
  std::exception_ptr error_;
  GenerateStatistics statistics_;
  std::optional<Clock::time_point> started_;
};

// Steps and pumps until the generation has finished and is idle. Rethrows its error, if it has one.
FinishReason run_to_end(Generation& generation, Device& device);

}  // namespace linnet
