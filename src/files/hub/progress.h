// Turns what happens to single files into the Progress of a whole pull, at a rate a screen can follow.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "files/hub/hub.h"

namespace linnet::hub {

class ProgressReporter {
 public:
  explicit ProgressReporter(const ProgressCallback& callback) : callback_(callback) {}

  void expect(uint64_t bytes) {
    progress_.all_total += bytes;
    ++progress_.file_count;
  }
  // The file outlives the next call of begin().
  void begin(const std::string& file, uint64_t total) {
    finished_bytes_ += progress_.total;
    progress_.file = file;
    progress_.total = total;
    ++progress_.file_number;
    update(Stage::downloading, 0);
  }
  void update(Stage stage, uint64_t done) {
    if (!callback_) return;
    const auto now = std::chrono::steady_clock::now();
    const bool news = stage != progress_.stage || progress_.done > done;
    if (!news && now < next_) return;
    next_ = now + std::chrono::milliseconds(100);
    progress_.stage = stage;
    progress_.done = done;
    progress_.all_done = finished_bytes_ + done;
    callback_(progress_);
  }
  void ready() { update(Stage::ready, progress_.total); }

 private:
  const ProgressCallback& callback_;
  Progress progress_;
  uint64_t finished_bytes_ = 0;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace linnet::hub
