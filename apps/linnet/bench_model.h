// How fast a model is on a device: prompt, decode, and what share of the memory's bandwidth decode uses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/bandwidth.h"
#include "files/model_files.h"
#include "runtime/text_options.h"
#include "tasks/generate.h"
#include "text/tokenizer.h"

namespace linnet::cli {

// What to measure.
struct ModelBench {
  uint32_t prompt = 0;                 // tokens; 0: the default, or what the context has room for
  uint32_t generate = 0;               // the same
  uint32_t depth = 0;                  // tokens that are in the context before decode begins
  uint32_t callback_microseconds = 0;  // that the caller is busy with each piece of text of decode
  GenerateOptions drawing;             // of decode: temperature, top-k, top-p and seed
  unsigned repetitions = 5;
};

struct ModelSpeeds {
  std::string device;
  uint32_t prompt_tokens = 0;
  uint32_t generated_tokens = 0;
  std::vector<double> prompt;  // tokens per second, one for each repetition
  std::vector<double> decode;
  uint32_t callbacks = 0;  // of one repetition of decode
  // Of one token: what the kernels count but for attention, nearly all of it weights; and the keys and values
  // of the tokens that are in the context in the middle of decode, of which a GPU's host counts nothing.
  double weight_bytes = 0;
  double kv_bytes = 0;
  double kv_tokens = 0;
  Bandwidth bandwidth;

  [[nodiscard]] double bytes_per_token() const { return weight_bytes + kv_bytes; }
  [[nodiscard]] double bytes_per_second() const;
  [[nodiscard]] double share() const { return bytes_per_second() / bandwidth.best(); }
};

[[nodiscard]] double median(std::vector<double> values);

// Throws Error(usage) if the context has no room for what is asked; where `options` leaves it open, it is as
// long as that needs. `threads` are for measuring the host's bandwidth.
[[nodiscard]] ModelSpeeds measure_model(const ModelBench& bench, ModelFiles files, const Tokenizer& tokenizer,
                                        Device& device, TextModelOptions options, unsigned threads);

}  // namespace linnet::cli
