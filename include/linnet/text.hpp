// Text: loading a model and generating with it. Every member of the option structs has a default, so that
// {.max_tokens = 32} is enough and compilers do not warn about the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linnet/device.hpp"
#include "linnet/export.hpp"
#include "linnet/receipt.hpp"
#include "linnet/tensor.hpp"

namespace linnet::LINNET_V0 {

// The path of the small text model that comes with Linnet. The environment's LINNET_BUILTIN comes first; then
// share/linnet beside the library or program that this code is in, installed or in its build folder. Throws
// Error(model) that says what to do if there is none.
//
//   auto model = linnet::TextModel::load(linnet::builtin_text_model(), device);
//   model.chat({{"user", "What is the capital of France?"}}, {}, on_text);
[[nodiscard]] LINNET_API std::filesystem::path builtin_text_model();

struct TextOptions {
  uint32_t context = 0;  // tokens of prompt and answer together; 0: the model's own, at most 4096
  uint32_t slots = 1;    // sequences there is room for
  std::optional<Format> kv =
      {};  // f32, f16 or bf16: how keys and values are kept; nothing: what suits the device
  // f32, f16 or bf16: what activations are computed in; nothing: what suits the device.
  std::optional<Format> activations = {};
  // Bytes of the file that are done, and in all; false stops loading with Error(interrupted).
  std::function<bool(size_t done, size_t total)> progress = {};
};

// What a model will need on a device, from the files' headers alone.
struct MemoryPlan {
  size_t weights = 0;
  size_t kv = 0;       // keys and values of all slots at full context
  size_t scratch = 0;  // one arena, the largest of all programs
  size_t other = 0;    // logits, tables and slot state; the process itself and the vocabulary
  size_t total = 0;
  size_t available = 0;  // what the device has free now
  bool fits = false;
  uint32_t context = 0;  // what it was made for
  uint32_t slots = 0;
};

// The path is as for TextModel::load(). Throws Error(model) for one that is missing or describes no model
// this version can run.
[[nodiscard]] LINNET_API MemoryPlan plan(const std::filesystem::path& path, const Device& device,
                                         const TextOptions& options = {});

struct GenerateOptions {
  uint32_t max_tokens = 0;  // 0: until the model ends or the context is full
  float temperature = 0;    // ≤ 0: greedy, always the likeliest token
  uint32_t top_k = 0;       // 0: all
  float top_p = 1;
  uint64_t seed = 0;
  std::vector<std::string> stop = {};  // strings that end the text; they are not part of it
  std::function<bool()> cancelled =
      {};  // asked between steps, also while the prompt is read; true ends the generation
};

enum class FinishReason : uint8_t {
  stop,       // the model ended, or a stop string was met
  length,     // max_tokens
  context,    // the context is full
  cancelled,  // the callback returned false, or `cancelled` returned true
};
[[nodiscard]] LINNET_API std::string_view to_string(FinishReason reason) noexcept;

struct LINNET_API GenerateStatistics {
  uint32_t prompt_tokens = 0;
  uint32_t kept_tokens = 0;  // of the prompt: kept from the chat before, not read again
  uint32_t generated_tokens = 0;
  double first_token_seconds = 0;
  double prompt_seconds = 0;
  double decode_seconds = 0;  // from the first token to the last

  // Tokens per second; 0 where there is nothing to divide.
  [[nodiscard]] double prompt_speed() const noexcept;
  [[nodiscard]] double decode_speed() const noexcept;
};

struct Generated {
  std::string text = {};  // valid UTF-8
  std::vector<int32_t> tokens = {};
  FinishReason finish_reason = FinishReason::stop;
  std::string stop_string = {};  // the one that was met
  GenerateStatistics statistics = {};
};

// The next piece of text, valid UTF-8; false stops.
using TextCallback = std::function<bool(std::string_view piece)>;

// One message of a conversation.
struct Message {
  std::string role = {};     // "system", "user" or "assistant"
  std::string content = {};  // UTF-8
};

// A handle that can be moved; the device lives as long as the model needs it.
class LINNET_API TextModel {
 public:
  // A GGUF file or any part of one, or a folder that holds a model: safetensors with config.json and
  // tokenizer.json as Hugging Face lays them out, or one GGUF file. Throws Error(model) if it is missing or
  // invalid, and Error(does_not_fit) before anything is allocated.
  [[nodiscard]] static TextModel load(const std::filesystem::path& path, const Device& device,
                                      const TextOptions& options = {});
  TextModel(TextModel&& other) noexcept;
  TextModel& operator=(TextModel&& other) noexcept;
  ~TextModel();

  // Throws Error(usage) if the prompt is empty or does not leave room for one token in the context. An
  // exception of the callback ends the generation and comes out here.
  Generated generate(std::string_view prompt, const GenerateOptions& options = {},
                     const TextCallback& on_text = {});

  // The next message of the assistant, to a conversation that goes through the model's chat template. Keys
  // and values stay on the device until the next call: where a conversation goes on, only what is new is
  // read. Throws Error(model) if the model has no chat template, Error(usage) if that refuses the messages or
  // they do not leave room for one token in the context; otherwise as generate().
  Generated chat(const std::vector<Message>& messages, const GenerateOptions& options = {},
                 const TextCallback& on_text = {});
  // True iff the model's files have a chat template.
  [[nodiscard]] bool has_chat_template() const;
  // The text that chat() gives the model, and how many tokens of the context it takes.
  [[nodiscard]] std::string chat_prompt(const std::vector<Message>& messages) const;
  [[nodiscard]] uint32_t chat_tokens(const std::vector<Message>& messages) const;

  // `special`: with the tokens that the model wants before and after a text.
  [[nodiscard]] std::vector<int32_t> tokenize(std::string_view text, bool special = true) const;
  [[nodiscard]] std::string detokenize(std::span<const int32_t> tokens) const;

  // What the last generate() ran.
  [[nodiscard]] const Receipt& last_receipt() const;
  [[nodiscard]] const MemoryPlan& memory() const;
  [[nodiscard]] uint32_t context() const;
  [[nodiscard]] Device device() const;

  struct LINNET_HIDDEN Impl;

 private:
  explicit TextModel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace linnet::LINNET_V0
