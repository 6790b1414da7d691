// A conversation, a line at a time, with the model that comes with Linnet. What was said before is not read
// again.
#include <iostream>
#include <linnet/linnet.hpp>
#include <string>

int main() {
  try {
    linnet::TextModel model =
        linnet::TextModel::load(linnet::builtin_text_model(), linnet::open_device("auto"));
    std::vector<linnet::Message> messages;
    for (std::string line; std::getline(std::cin, line);) {
      messages.push_back({"user", line});
      const linnet::Generated answer = model.chat(messages);
      std::cout << answer.text << "\n(" << answer.statistics.kept_tokens << " of "
                << answer.statistics.prompt_tokens << " tokens were known)\n";
      messages.push_back({"assistant", answer.text});
    }
  } catch (const linnet::Error& error) {
    std::cerr << "chat: " << error.what() << '\n';
    return static_cast<int>(error.kind());
  }
  return 0;
}
