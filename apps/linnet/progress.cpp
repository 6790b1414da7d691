#include "progress.h"

#include <algorithm>

#include "output.h"

namespace linnet::cli {
namespace {

constexpr size_t kWidth = 30;
constexpr std::chrono::milliseconds kPause(50);  // often enough to look smooth

}  // namespace

ProgressBar::ProgressBar(std::string label)
    : label_(std::move(label)), visible_(stderr_is_terminal()), next_(Clock::now() + 4 * kPause) {}

ProgressBar::~ProgressBar() {
  if (drawn_) print_error("\r\033[K");
}

void ProgressBar::show(size_t done, size_t total) noexcept {
  if (!visible_ || total == 0 || Clock::now() < next_) return;
  next_ = Clock::now() + kPause;
  drawn_ = true;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto full = static_cast<size_t>(share * kWidth);
  print_error("\r" + label_ + " [" + std::string(full, '#') + std::string(kWidth - full, '.') + "] " +
              std::to_string(static_cast<int>(share * 100)) + " %");
}

}  // namespace linnet::cli
