// Finds the strings that end a generation in text that comes in pieces, also where one straddles pieces.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace linnet {

class StopStrings {
 public:
  // Empty strings are an Error(usage).
  explicit StopStrings(std::vector<std::string> stops);

  struct Result {
    std::string text;      // safe to give out: before any stop string and not the beginning of one
    bool stopped = false;  // a stop string was met; what follows is ignored until reset()
  };

  // Of several stop strings the one that begins first ends the text, whatever pieces the text came in: text
  // that may belong to one that begins earlier is held back until that is decided.
  [[nodiscard]] Result push(std::string_view text);
  // What was held back, to be called when the text ends: a stop string inside it may still be met.
  [[nodiscard]] Result finish();
  // Which stop string was met.
  [[nodiscard]] const std::string& met() const { return stops_.at(met_); }
  void reset();

 private:
  // Decides as much of held_ as can be; with `ended` all of it.
  [[nodiscard]] Result scan(bool ended);

  std::vector<std::string> stops_;
  std::string held_;
  bool stopped_ = false;
  size_t met_ = 0;
};

}  // namespace linnet
