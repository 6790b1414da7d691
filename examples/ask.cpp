// Asks the model that comes with Linnet, or one of yours: ask QUESTION [MODEL]
#include <iostream>
#include <linnet/linnet.hpp>

int main(int count, char** arguments) {
  if (count != 2 && count != 3) {
    std::cerr << "usage: ask QUESTION [MODEL]\n";
    return 2;
  }
  try {
    const linnet::Device device = linnet::open_device("auto");
    linnet::TextModel model =
        linnet::TextModel::load(count == 3 ? arguments[2] : linnet::builtin_text_model(), device);
    const auto show = [](std::string_view piece) {
      std::cout << piece << std::flush;
      return true;  // false stops
    };
    model.chat({{"user", arguments[1]}}, {}, show);
    std::cout << '\n';
    std::cerr << model.last_receipt();  // what ran where, from the device's own clock
  } catch (const linnet::Error& error) {
    std::cerr << "ask: " << error.what() << '\n';
    return static_cast<int>(error.kind());
  }
  return 0;
}
