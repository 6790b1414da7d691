// Options that several verbs share, and what they become.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "device/registry.h"
#include "linnet/linnet.hpp"
#include "runtime/text_options.h"

namespace linnet::cli {

// The device that defines what ops mean.
inline constexpr const char* kReference = "reference";

// A check of an option's value without the note that CLI11 would put beside its name: the help says it in
// words.
[[nodiscard]] inline CLI::Validator quiet(const CLI::Validator& check) {
  return check.description("");
}

struct DeviceFlags {
  std::string device = "auto";
  unsigned threads = 0;
  std::string instruction_set;
  std::string launching;

  void add_to(CLI::App& verb);
  // Both print the one line that `auto` may have to say.
  [[nodiscard]] std::unique_ptr<Device> open() const;
  [[nodiscard]] std::unique_ptr<Device> open(const std::string& name) const;
  [[nodiscard]] v0::Device open_public() const;
};

struct ModelFlags {
  std::string model;
  uint32_t context = 0;
  std::string kv;
  std::string activations;

  // -m/--model, or, where the model is the verb's object, a positional MODEL; both must be given.
  CLI::Option* add_model_to(CLI::App& verb);
  void add_file_to(CLI::App& verb);
  void add_memory_to(CLI::App& verb);  // --context, --kv and --activations
  [[nodiscard]] v0::TextOptions public_options() const;
  [[nodiscard]] TextModelOptions options(const Device& device) const;
};

// How tokens are drawn; `options` are those of generation, public or not.
template <class Options>
void add_sampling_to(CLI::App& verb, Options& options) {
  verb.add_option("--temperature", options.temperature, "0: greedy; higher: more varied")
      ->check(quiet(CLI::NonNegativeNumber))
      ->type_name("X");
  verb.add_option("--top-k", options.top_k, "draw from the K likeliest tokens only; 0: all")
      ->check(quiet(CLI::NonNegativeNumber))
      ->type_name("K");
  verb.add_option("--top-p", options.top_p, "draw from the likeliest tokens whose probabilities reach P")
      ->check(quiet(CLI::Range(0.0, 1.0)))
      ->type_name("P");
  verb.add_option("--seed", options.seed, "of the draws")
      ->check(quiet(CLI::NonNegativeNumber))
      ->type_name("N");
}

// The text of a positional: as it was given, perhaps empty; "-": stdin byte for byte; left out: stdin without
// the newline that ends it. Throws Error(usage) if it was left out and nothing is piped in.
[[nodiscard]] std::string text_or_stdin(const std::optional<std::string>& given, std::string_view what);

}  // namespace linnet::cli
