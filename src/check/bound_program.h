// A program on a device with everything it needs: compiled, weights loaded, memory allocated, filled and
// bound.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "check/program_inputs.h"
#include "device/device.h"

namespace linnet {

// The reason why the device has no kernel for some op of the program; empty if it has them all.
[[nodiscard]] std::string unsupported_reason(const Device& device, const Program& program,
                                             const CompileOptions& options);

// The program as the device will run it, which is what the device is held to: it may quantize where the
// recorded program does not say so. Throws if some op is unsupported.
[[nodiscard]] Program lowered_by(const Device& device, const Program& program, const CompileOptions& options);

class BoundProgram {
 public:
  // Every byte of an output before the run and of the guard: no number in any format, no token, no position.
  static constexpr std::byte kSentinel{0xFF};

  // `guard_rows` are allocated behind the rows of every value but weights and scratch, and filled with the
  // sentinel.
  BoundProgram(Device& device, const Program& program, const CompileOptions& options,
               const ProgramInputs& inputs, uint32_t guard_rows = 0);

  // Contents as before the first run: inputs and state as given, outputs and guards the sentinel.
  void reset();
  // Other contents for the front of a state or input, in queue order.
  void write(Value value, std::span<const std::byte> bytes) {
    device_.write(*buffers_.at(value.id), 0, bytes);
  }
  void run(std::span<const uint32_t> extents) { launch_->run(extents); }

  [[nodiscard]] const Program& program() const noexcept { return executable_->program(); }  // lowered
  [[nodiscard]] Device& device() noexcept { return device_; }
  [[nodiscard]] Launch& launch() noexcept { return *launch_; }
  // Plain bytes of a state, input or output, with its guard or without. Throws the device's error if it has
  // one.
  [[nodiscard]] std::vector<std::byte> bytes_with_guard(Value value);
  [[nodiscard]] std::vector<std::byte> bytes(Value value);
  // Any value as floats.
  [[nodiscard]] std::vector<float> floats(Value value);

 private:
  [[nodiscard]] ValueInfo guarded(Value value) const;

  Device& device_;
  const ProgramInputs& inputs_;
  uint32_t guard_rows_;
  std::vector<std::shared_ptr<const ByteSource>> sources_;  // outlive the buffers
  std::map<uint32_t, std::unique_ptr<Buffer>> buffers_;
  std::unique_ptr<Executable> executable_;
  std::unique_ptr<Buffer> scratch_;
  std::unique_ptr<Launch> launch_;
};

}  // namespace linnet
