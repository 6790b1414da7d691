// A progress bar on stderr, for people: nothing is shown where stderr is no terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace linnet::cli {

class ProgressBar {
 public:
  explicit ProgressBar(std::string label);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  // Takes the bar away.
  ~ProgressBar();

  void show(size_t done, size_t total) noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  std::string label_;
  bool visible_;
  bool drawn_ = false;
  Clock::time_point next_;
};

}  // namespace linnet::cli
