#include "chat.h"

#include <unistd.h>

#include "base/error.h"
#include "interrupt.h"
#include "line_reader.h"
#include "output.h"
#include "require_device.h"
#include "run_report.h"

namespace linnet::cli {
namespace {

constexpr const char* kPrompt = "> ";
constexpr const char* kCommands = R"(/help    show this
/clear   begin a new conversation
/exit    leave; so does Ctrl-D
Ctrl-C stops an answer; at the prompt it leaves.
)";

std::string trimmed(const std::string& line) {
  constexpr const char* kSpace = " \t\r";
  const size_t first = line.find_first_not_of(kSpace);
  if (first == std::string::npos) return {};
  return line.substr(first, line.find_last_not_of(kSpace) + 1 - first);
}

}  // namespace

Chat::Chat(const RunFlags& flags, v0::TextModel& model) : flags_(flags), model_(model) {
  begin();
}

void Chat::begin() {
  messages_.clear();
  if (!flags_.system.empty()) messages_.push_back({"system", flags_.system});
  first_question_ = messages_.size();
}

int Chat::run() {
  const v0::DeviceInfo device = model_.device().info();
  print_error(concat("linnet: ", flags_.model.model, " on ", device.backend,
                     "; /help shows the commands, Ctrl-D leaves\n"));
  LineReader lines(STDIN_FILENO);
  for (;;) {
    print_error(kPrompt);
    const std::optional<std::string> line = lines.next();
    if (!line) {
      print_error("\n");
      return 0;
    }
    if (take(trimmed(*line)) == Next::leave) return 0;
  }
}

Chat::Next Chat::take(const std::string& line) {
  if (line.empty()) return Next::go_on;
  if (line == "/exit" || line == "/quit") return Next::leave;
  if (line == "/help") {
    print_error(kCommands);
  } else if (line == "/clear") {
    begin();
    print_error("linnet: a new conversation\n");
  } else if (line.front() == '/' && line.find_first_of(" \t") == std::string::npos) {
    print_error(concat("linnet: there is no command ", line, "; /help shows those there are\n"));
  } else {
    answer(line);
  }
  return Next::go_on;
}

void Chat::make_room() {
  // With less than a quarter of the context an answer would often be cut.
  const uint32_t for_the_answer = model_.context() / 4;
  size_t dropped = 0;
  while (messages_.size() > first_question_ + 1 &&
         model_.chat_tokens(messages_) > model_.context() - for_the_answer) {
    const auto oldest = messages_.begin() + static_cast<std::ptrdiff_t>(first_question_);
    messages_.erase(oldest, oldest + 2);
    ++dropped;
  }
  if (dropped != 0) {
    print_error(concat("linnet: the context of ", model_.context(), " tokens is full: the oldest ", dropped,
                       dropped == 1 ? " question and its answer are" : " questions and their answers are",
                       " forgotten\n"));
  }
}

void Chat::answer(const std::string& question) {
  messages_.push_back({"user", question});
  v0::GenerateOptions options = flags_.generate;
  options.cancelled = interrupted;
  v0::Generated generated;
  try {
    make_room();
    generated = model_.chat(messages_, options, [](std::string_view piece) {
      print(piece);
      return !interrupted();
    });
  } catch (const v0::Error& error) {
    if (error.kind() != v0::ErrorKind::usage) throw;
    messages_.pop_back();  // too long, or the template refuses it: the conversation goes on without it
    print_error(concat("linnet: ", error.what(), "\n"));
    return;
  }
  if (generated.text.empty()) {
    messages_.pop_back();
  } else {
    messages_.push_back({"assistant", generated.text});
  }
  if (!generated.text.ends_with('\n')) print("\n");
  report(flags_, model_, generated);
  if (interrupted()) {
    print_error("linnet: stopped\n");
    forget_interrupt();
  } else if (!flags_.require_device.empty()) {
    require_device(model_.last_receipt(), flags_.require_device);
  }
}

}  // namespace linnet::cli
