// Where the contents of a program's values come from: weights as a file would give them, state and inputs as
// bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "device/byte_source.h"
#include "program/program.h"
#include "program/weight_spec.h"

namespace linnet {

class ProgramInputs {
 public:
  struct Weight {
    WeightSpec spec;
    std::shared_ptr<const ByteSource> source;  // lives as long as the buffers that may have adopted its bytes
  };
  virtual ~ProgramInputs() = default;
  [[nodiscard]] virtual Weight weight(Value value) const = 0;
  // What a state or input holds before the run, in the plain layout of info.format (resolved). Empty: zeros.
  [[nodiscard]] virtual std::vector<std::byte> contents(Value value, const ValueInfo& info) const = 0;
};

// Parts of a weight that lie in memory.
class MemorySource : public ByteSource {
 public:
  MemorySource(Format format, std::vector<std::vector<std::byte>> parts)
      : format_(format), parts_(std::move(parts)) {}
  [[nodiscard]] Format format(size_t) const override { return format_; }
  [[nodiscard]] std::span<const std::byte> mapped(size_t part) const override { return parts_.at(part); }
  void read(size_t part, size_t offset, std::span<std::byte> into) const override;

 private:
  Format format_;
  std::vector<std::vector<std::byte>> parts_;
};

// A weight of a program as a spec with `parts` equal stacks of rows; how it is used follows from the ops.
[[nodiscard]] WeightSpec spec_of(const Program& program, Value value, uint32_t parts = 1);
// The bytes of a whole weight, cut into the parts of its spec.
[[nodiscard]] std::shared_ptr<const ByteSource> source_of(const WeightSpec& spec,
                                                          std::span<const std::byte> bytes);

}  // namespace linnet
