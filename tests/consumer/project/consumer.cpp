// Uses the installed C++ API: consumer MODEL.gguf PROMPT EXPECTED QUESTION ANSWER
// The question goes to the built-in model.
#include <iostream>
#include <linnet/linnet.hpp>
#include <string>

namespace {

int complain(const std::string& what) {
  std::cerr << "consumer: " << what << '\n';
  return 1;
}

bool ask_builtin(const linnet::Device& device, const std::string& question, const std::string& expected) {
  linnet::TextModel model = linnet::TextModel::load(linnet::builtin_text_model(), device);
  const linnet::Generated answer = model.chat({{"user", question}});
  std::cout << linnet::builtin_text_model() << ": " << answer.text << '\n';
  return answer.text.find(expected) != std::string::npos;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 6)
    return complain("expected a model, a prompt, what the model says to it; a question, its answer");
  const linnet::Device device = linnet::open_device("cpu");
  if (!ask_builtin(device, arguments[4], arguments[5]))
    return complain("the built-in model said something else");
  linnet::TextModel model = linnet::TextModel::load(arguments[1], device);
  std::string pieces;
  const linnet::Generated generated =
      model.generate(arguments[2], {.max_tokens = 32}, [&](std::string_view piece) {
        pieces += piece;
        return true;
      });
  std::cout << "linnet " << linnet::version() << ": " << generated.text << '\n' << model.last_receipt();
  if (generated.text.find(arguments[3]) == std::string::npos)
    return complain("the model said something else");
  if (pieces != generated.text) return complain("the pieces are not the text");
  if (model.last_receipt().count() == 0) return complain("the receipt is empty");
  try {
    (void)linnet::TextModel::load("no such file", device);
  } catch (
      const linnet::Error& error) {  // thrown in the library, caught here: its type information is exported
    return error.kind() == linnet::ErrorKind::model ? 0 : complain(error.what());
  }
  return complain("a file that is not there was loaded");
}
