// A run of a program's steps that the persistent kernel takes: which they are, and their description as data.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "backends/cuda/bind.h"
#include "backends/cuda/kernels/walk.h"
#include "backends/cuda/memory.h"

namespace linnet::cuda {

using LineOf = std::function<uint32_t(std::string_view op)>;

class Walk {
 public:
  // The stages of a decoder's layers for one row that `steps` begins with, the angles before them and the
  // draw that ends them; nothing if they are too few, of shapes or formats that the kernel does not take, or
  // have fewer bytes of weights than `least_bytes`.
  [[nodiscard]] static std::shared_ptr<Walk> of(std::span<const Step> steps, size_t least_bytes,
                                                Binder& binder, const LineOf& line_of);

  [[nodiscard]] size_t steps() const noexcept { return steps_; }
  [[nodiscard]] uint32_t last_line() const noexcept { return last_line_; }
  bool enqueue(const Common& common) const { return launch_walk(args_, processors_, common); }

 private:
  friend class WalkBuilder;

  size_t steps_ = 0;
  uint32_t last_line_ = 0;
  uint32_t processors_ = 0;
  WalkArgs args_{};
  DeviceMemory stages_;
  DeviceMemory words_;
  DeviceMemory partials_;
  DeviceMemory progress_;
  DeviceMemory largest_;
};

}  // namespace linnet::cuda
