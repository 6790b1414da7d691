#include "text/stop_strings.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace linnet {

StopStrings::StopStrings(std::vector<std::string> stops) : stops_(std::move(stops)) {
  const auto empty = [](const std::string& stop) { return stop.empty(); };
  if (std::any_of(stops_.begin(), stops_.end(), empty)) fail(ErrorKind::usage, "a stop string is empty");
}

StopStrings::Result StopStrings::push(std::string_view text) {
  if (stopped_) return {{}, true};
  held_ += text;
  return scan(false);
}

StopStrings::Result StopStrings::finish() {
  if (stopped_) return {{}, true};
  return scan(true);
}

StopStrings::Result StopStrings::scan(bool ended) {
  const std::string_view held = held_;
  // The first position at which a whole stop string stands, or at which the text so far ends inside one.
  for (size_t i = 0; i < held.size(); ++i) {
    const std::string_view rest = held.substr(i);
    const auto stands_here = [rest](const std::string& stop) { return rest.starts_with(stop); };
    const auto stop = std::find_if(stops_.begin(), stops_.end(), stands_here);
    if (stop != stops_.end()) {
      stopped_ = true;
      met_ = static_cast<size_t>(stop - stops_.begin());
      return {std::exchange(held_, {}).substr(0, i), true};
    }
    const auto begins_here = [rest](const std::string& other) { return other.starts_with(rest); };
    if (!ended && std::any_of(stops_.begin(), stops_.end(), begins_here)) {
      Result result{std::string(held.substr(0, i)), false};
      held_.erase(0, i);
      return result;
    }
  }
  return {std::exchange(held_, {}), false};
}

void StopStrings::reset() {
  held_.clear();
  stopped_ = false;
}

}  // namespace linnet
