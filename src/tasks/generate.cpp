#include "tasks/generate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace linnet {
namespace {

void check_options(const GenerateOptions& options) {
  if (!std::isfinite(options.temperature)) {
    fail(ErrorKind::usage, "temperature: expected a number, got ", options.temperature);
  }
  if (!(options.top_p > 0 && options.top_p <= 1)) {
    fail(ErrorKind::usage, "top-p: expected more than 0 and at most 1, got ", options.top_p);
  }
  if (options.top_k > static_cast<uint32_t>(std::numeric_limits<int32_t>::max())) {
    fail(ErrorKind::usage, "top-k: expected at most ", std::numeric_limits<int32_t>::max(), ", got ",
         options.top_k);
  }
  if (options.steps_ahead > Generation::kMaxStepsAhead) {
    fail(ErrorKind::usage, "steps ahead: expected at most ", Generation::kMaxStepsAhead, ", got ",
         options.steps_ahead);
  }
}

void check_prompt(const TextModel& model, std::span<const Token> prompt) {
  if (prompt.empty()) fail(ErrorKind::usage, "the prompt is empty");
  if (prompt.size() >= model.context()) {
    fail(ErrorKind::usage, "the prompt has ", prompt.size(), " tokens and leaves no room in the context of ",
         model.context(), ": shorten it or raise --context");
  }
  for (const Token token : prompt) {
    if (token < 0 || static_cast<uint32_t>(token) >= model.vocabulary()) {
      fail(ErrorKind::usage, "token ", token, " of the prompt is not in the vocabulary of ",
           model.vocabulary());
    }
  }
}

SampleParams params_of(const GenerateOptions& options) {
  return {.temperature = options.temperature,
          .top_k = static_cast<int32_t>(options.top_k),
          .top_p = options.top_p,
          .seed_low = static_cast<uint32_t>(options.seed),
          .seed_high = static_cast<uint32_t>(options.seed >> 32)};
}

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

std::string_view to_string(FinishReason reason) noexcept {
  switch (reason) {
    case FinishReason::none:
      return "none";
    case FinishReason::stop:
      return "stop";
    case FinishReason::length:
      return "length";
    case FinishReason::context:
      return "context";
    case FinishReason::cancelled:
      return "cancelled";
    case FinishReason::error:
      return "error";
  }
  return "?";
}

double GenerateStatistics::prompt_speed() const noexcept {
  return prompt_seconds > 0 ? (prompt_tokens - kept_tokens) / prompt_seconds : 0;
}

// The first token belongs to the prompt's time.
double GenerateStatistics::decode_speed() const noexcept {
  return decode_seconds > 0 && generated_tokens > 1 ? (generated_tokens - 1) / decode_seconds : 0;
}

Generation::Generation(TextModel& model, const Tokenizer& tokenizer, std::vector<Token> prompt,
                       const GenerateOptions& options, TextCallback on_text, KeptSequence* kept)
    : model_(model),
      tokenizer_(tokenizer),
      prompt_(std::move(prompt)),
      options_(options),
      on_text_(std::move(on_text)),
      detokenizer_(tokenizer, options.detokenize),
      kept_(kept) {
  check_options(options_);
  if (options_.steps_ahead == 0) options_.steps_ahead = model_.device().info().steps_ahead;
  check_prompt(model_, prompt_);
  if (!options_.stop.empty()) stops_.emplace(options_.stop);
  const auto room = static_cast<uint32_t>(model_.context() - prompt_.size());
  limited_by_context_ = options_.max_tokens == 0 || options_.max_tokens > room;
  limit_ = limited_by_context_ ? room : options_.max_tokens;
  tokens_.reserve(limit_);
  statistics_.prompt_tokens = static_cast<uint32_t>(prompt_.size());
  // More of them than the device takes are still seen by accept(), some steps later.
  const std::span<const Token> ends = tokenizer_.end_of_generation();
  model_.set_stop_ids(options_.ignore_end ? std::span<const Token>()
                                          : ends.first(std::min<size_t>(ends.size(), kMaxStopIds)));
  slot_ = kept_ != nullptr
              ? kept_->resume(prompt_, params_of(options_))
              : model_.begin(params_of(options_), static_cast<uint32_t>(prompt_.size()) + limit_);
  statistics_.kept_tokens = prompt_enqueued_ = model_.length(slot_);
}

Generation::~Generation() {
  if (!finished()) finish(FinishReason::cancelled);
  while (!idle()) {
    model_.device().wait(std::chrono::milliseconds(100));
    model_.device().poll();
  }
}

void Generation::step() {
  if (finished()) return;
  if (!started_) started_ = Clock::now();
  if (cancelled_.load(std::memory_order_relaxed)) return finish(FinishReason::cancelled);
  if (prompt_enqueued_ < prompt_.size()) {
    if (in_flight_ < options_.steps_ahead) enqueue_prompt();
  } else {
    enqueue_decode();
  }
}

void Generation::enqueue_prompt() {
  const auto left = static_cast<uint32_t>(prompt_.size()) - prompt_enqueued_;
  const uint32_t count = std::min(left, model_.prompt_rows());
  const PromptPart part{.slot = slot_,
                        .tokens = std::span(prompt_).subspan(prompt_enqueued_, count),
                        .generate = count == left ? limit_ : 0};
  model_.prompt({&part, 1});
  prompt_enqueued_ += count;
  if (count == left) return read_sampled();
  ++in_flight_;
  model_.fence([this](const Error* error) { prompt_arrived(error); });
}

void Generation::enqueue_decode() {
  read_sampled();  // a step that somebody else took for all slots
  while (in_flight_ < options_.steps_ahead && model_.generating(slot_)) {
    model_.decode();
    read_sampled();
  }
}

void Generation::read_sampled() {
  while (reads_enqueued_ < model_.sampled(slot_) && in_flight_ < kMaxStepsAhead) {
    const uint32_t index = reads_enqueued_++;
    ++in_flight_;
    model_.read_tokens(slot_, static_cast<uint32_t>(prompt_.size()) + index,
                       {&arriving_[index % kMaxStepsAhead], 1},
                       [this, index](const Error* error) { token_arrived(index, error); });
  }
}

void Generation::prompt_arrived(const Error* error) {
  --in_flight_;
  if (finished() || error == nullptr) return;
  error_ = std::make_exception_ptr(*error);
  finish(FinishReason::error);
}

void Generation::token_arrived(uint32_t index, const Error* error) {
  --in_flight_;
  if (finished()) return;
  if (error != nullptr) {
    error_ = std::make_exception_ptr(*error);
    return finish(FinishReason::error);
  }
  const double seconds = seconds_between(*started_, Clock::now());
  if (index == 0) statistics_.first_token_seconds = statistics_.prompt_seconds = seconds;
  statistics_.decode_seconds = seconds - statistics_.prompt_seconds;
  if (cancelled_.load(std::memory_order_relaxed)) return finish(FinishReason::cancelled);
  accept(arriving_[index % kMaxStepsAhead]);
}

void Generation::accept(Token token) {
  if (!options_.ignore_end && tokenizer_.ends_generation(token)) return end_of_text(FinishReason::stop);
  tokens_.push_back(token);
  statistics_.generated_tokens = static_cast<uint32_t>(tokens_.size());
  // A table of embeddings may have more rows than the vocabulary has tokens; such a token has no text.
  if (static_cast<size_t>(token) < tokenizer_.size() && !give_out(detokenizer_.push(token))) return;
  if (tokens_.size() == limit_)
    end_of_text(limited_by_context_ ? FinishReason::context : FinishReason::length);
}

bool Generation::give_out(std::string_view text) {
  if (!stops_) return call_back(text);
  const StopStrings::Result result = stops_->push(text);
  if (!call_back(result.text)) return false;
  if (!result.stopped) return true;
  stop_string_ = stops_->met();
  finish(FinishReason::stop);
  return false;
}

bool Generation::call_back(std::string_view text) {
  if (text.empty() || !on_text_) return true;
  try {
    if (on_text_(text)) return true;
    finish(FinishReason::cancelled);
  } catch (...) {  // it may not pass through the device's poll()
    error_ = std::current_exception();
    finish(FinishReason::error);
  }
  return false;
}

void Generation::end_of_text(FinishReason reason) {
  if (!give_out(detokenizer_.finish())) return;
  if (stops_) {
    const StopStrings::Result rest = stops_->finish();
    if (!call_back(rest.text)) return;
    if (rest.stopped) {
      stop_string_ = stops_->met();
      reason = FinishReason::stop;
    }
  }
  finish(reason);
}

void Generation::finish(FinishReason reason) {
  reason_ = reason;
  if (kept_ == nullptr) return model_.release(slot_);
  if (reason == FinishReason::error) return kept_->forget();
  kept_->keep(stored());
}

std::vector<Token> Generation::stored() const {
  std::vector<Token> tokens(prompt_.begin(), prompt_.begin() + prompt_enqueued_);
  // The last token that came may not have been fed yet.
  if (!tokens_.empty()) tokens.insert(tokens.end(), tokens_.begin(), tokens_.end() - 1);
  return tokens;
}

FinishReason run_to_end(Generation& generation, Device& device) {
  while (!generation.finished() || !generation.idle()) {
    generation.step();
    if (generation.idle()) continue;
    device.wait(std::chrono::milliseconds(100));
    device.poll();
  }
  if (generation.error()) std::rethrow_exception(generation.error());
  return generation.reason();
}

}  // namespace linnet
