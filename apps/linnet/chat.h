// linnet run on a terminal without a prompt: a small conversation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run_flags.h"

namespace linnet::cli {

// Answers go to stdout; the prompt and all remarks to stderr.
class Chat {
 public:
  // Both must outlive this object; the model has a chat template.
  Chat(const RunFlags& flags, v0::TextModel& model);

  // Until /exit or the end of stdin. Returns the exit code; throws Error(interrupted) for Ctrl-C at the
  // prompt.
  int run();

 private:
  enum class Next : uint8_t { go_on, leave };
  [[nodiscard]] Next take(const std::string& line);
  void begin();  // a new conversation
  void answer(const std::string& question);
  void make_room();

  const RunFlags& flags_;
  v0::TextModel& model_;
  std::vector<v0::Message> messages_;  // a system message perhaps, then questions and answers by turns
  size_t first_question_ = 0;
};

}  // namespace linnet::cli
