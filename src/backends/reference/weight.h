// A weight as the file has it: the mapped bytes of its parts where they have the right format, a converted
// copy otherwise. Never decoded as a whole, so that a large model fits.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "device/buffer.h"
#include "device/byte_source.h"
#include "device/host_buffer.h"
#include "program/weight_spec.h"

namespace linnet::reference {

class Weight : public Buffer {
 public:
  Weight(const WeightSpec& spec, const ByteSource& source);

  [[nodiscard]] size_t bytes() const noexcept override { return bytes_of(format_, elements_); }
  [[nodiscard]] Format format() const noexcept { return format_; }
  [[nodiscard]] size_t elements() const noexcept { return elements_; }

  // Elements from `first` on, which must begin a block.
  void decode(size_t first, std::span<float> into) const;

 private:
  struct Stretch {  // a part: consecutive elements that lie together
    size_t first;
    size_t elements;
    std::span<const std::byte> bytes;
    std::unique_ptr<HostBuffer> copy;  // owns bytes unless they are mapped
  };
  Format format_;
  size_t elements_ = 0;
  std::vector<Stretch> stretches_;
};

}  // namespace linnet::reference
