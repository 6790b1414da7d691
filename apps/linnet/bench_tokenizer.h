// How fast a tokenizer is, on one thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"

namespace linnet::cli {

struct TokenizerSpeed {
  std::string kind;
  size_t bytes = 0;
  size_t tokens = 0;
  std::vector<double> runs;  // tokens per second, one for each repetition
};

// Of the whole text at once, after a run that does not count. Throws Error(interrupted) on Ctrl-C.
[[nodiscard]] TokenizerSpeed measure_tokenizer(const Tokenizer& tokenizer, std::string_view text,
                                               unsigned repetitions);

}  // namespace linnet::cli
