// A program bound to memory: runs its ops one after the other on the calling thread.
#pragma once

#include "backends/reference/device.h"
#include "backends/reference/operands.h"

namespace linnet::reference {

class ReferenceLaunch : public Launch {
 public:
  ReferenceLaunch(const Program& program, std::vector<Place> places, std::shared_ptr<Shared> shared);

  void run(std::span<const uint32_t> extents = {}) noexcept override;
  void read_value(Value value, std::span<float> into, Completion done) override;

 private:
  void check_extents(std::span<const uint32_t> extents) const;
  void run_op(size_t index);

  const Program& program_;
  std::vector<Place> places_;
  std::shared_ptr<Shared> shared_;
  Operands operands_;
  std::vector<size_t> line_of_op_;  // in the receipt
};

}  // namespace linnet::reference
