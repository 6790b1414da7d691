// Cuts a text into words, which a model then encodes one by one. A sequence of steps, each of which cuts or
// rewrites what the step before it gave; words stream through, nothing is collected.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/encode_work.h"
#include "text/matcher.h"

namespace linnet {

// Receives pieces of a text from left to right. `at_start`: the piece begins the whole text.
class PieceSink {
 public:
  virtual ~PieceSink() = default;
  virtual void piece(std::string_view text, bool at_start) = 0;
};

class PreTokenizerStep {
 public:
  virtual ~PreTokenizerStep() = default;
  // Gives out no empty pieces; gets none.
  virtual void apply(std::string_view text, bool at_start, PieceSink& into, EncodeWork& work) const = 0;
};

class PreTokenizer {
 public:
  void add(std::unique_ptr<PreTokenizerStep> step) { steps_.push_back(std::move(step)); }
  void add_front(std::unique_ptr<PreTokenizerStep> step) { steps_.insert(steps_.begin(), std::move(step)); }
  void run(std::string_view text, bool at_start, PieceSink& words, EncodeWork& work) const;
  [[nodiscard]] bool empty() const noexcept { return steps_.empty(); }

 private:
  class Chain;
  std::vector<std::unique_ptr<PreTokenizerStep>> steps_;
};

// What becomes of a match; the names are those of tokenizer.json.
enum class SplitBehavior : uint8_t { removed, isolated, merged_with_previous, merged_with_next, contiguous };

// Invert: what does not match is the delimiter.
[[nodiscard]] std::unique_ptr<PreTokenizerStep> split_at(std::unique_ptr<Matcher> matcher,
                                                         SplitBehavior behavior, bool invert = false);
// BERT: white space goes, punctuation stands alone.
[[nodiscard]] std::unique_ptr<PreTokenizerStep> split_as_bert();
// Puts a space before each piece that does not begin with one.
[[nodiscard]] std::unique_ptr<PreTokenizerStep> prefix_space();

enum class PrependScheme : uint8_t { always, first, never };
// Spaces become `replacement`, one is put before the text by the scheme, and words begin at each if `split`.
[[nodiscard]] std::unique_ptr<PreTokenizerStep> metaspace(std::string replacement, PrependScheme scheme,
                                                          bool split);

// Into GPT-2's byte alphabet and back, for steps that see it in between.
[[nodiscard]] std::unique_ptr<PreTokenizerStep> enter_byte_alphabet();
[[nodiscard]] std::unique_ptr<PreTokenizerStep> leave_byte_alphabet();

}  // namespace linnet
