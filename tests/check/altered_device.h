// The reference with a fault: a device that tests of the checks can see caught.
#pragma once

#include <functional>
#include <utility>

#include "backends/reference/backend.h"
#include "device/device.h"

namespace linnet {

class AlteredDevice : public Device {
 public:
  // What is read from a buffer, on its way out.
  std::function<void(size_t offset, std::span<std::byte>)> alter_read;
  // An op that this device lowers in its own way.
  std::function<std::optional<Lowered>(const Op&, Recorder&)> alter_lower;
  std::function<void(Value, std::span<float>)> alter_value;

  [[nodiscard]] DeviceInfo info() const override { return device_->info(); }
  [[nodiscard]] Lowered lower(const Op& op, const CompileOptions& options, Recorder& into) const override {
    if (alter_lower) {
      if (auto lowered = alter_lower(op, into)) return *lowered;
    }
    return device_->lower(op, options, into);
  }
  [[nodiscard]] size_t workspace(const Program& program, const Op& op) const override {
    return device_->workspace(program, op);
  }
  [[nodiscard]] Footprint footprint(const Program& program, const CompileOptions& options) const override {
    return device_->footprint(program, options);
  }
  [[nodiscard]] std::unique_ptr<Buffer> load(const WeightSpec& spec, const ByteSource& source) override {
    return device_->load(spec, source);
  }
  [[nodiscard]] std::unique_ptr<Buffer> allocate(const ValueInfo& value) override {
    return device_->allocate(value);
  }
  [[nodiscard]] std::unique_ptr<Buffer> allocate_scratch(size_t bytes) override {
    return device_->allocate_scratch(bytes);
  }
  void write(Buffer& buffer, size_t offset, std::span<const std::byte> bytes) override {
    device_->write(buffer, offset, bytes);
  }
  void read(const Buffer& buffer, size_t offset, std::span<std::byte> into, Completion done) override {
    device_->read(buffer, offset, into, std::move(done));
    if (alter_read) alter_read(offset, into);
  }
  void poll() override { device_->poll(); }
  bool wait(std::chrono::nanoseconds timeout) override { return device_->wait(timeout); }
  [[nodiscard]] std::unique_ptr<Executable> compile(const Program& program,
                                                    const CompileOptions& options) override {
    return std::make_unique<AlteredExecutable>(*this, device_->compile(program, options));
  }
  [[nodiscard]] Receipt receipt() const override { return device_->receipt(); }

 private:
  struct AlteredLaunch : Launch {
    AlteredLaunch(AlteredDevice& owner, std::unique_ptr<Launch> of) : device(owner), launch(std::move(of)) {}
    void run(std::span<const uint32_t> extents) noexcept override { launch->run(extents); }
    void read_value(Value value, std::span<float> into, Completion done) override {
      launch->read_value(value, into, std::move(done));
      if (device.alter_value) device.alter_value(value, into);
    }
    AlteredDevice& device;
    std::unique_ptr<Launch> launch;
  };
  struct AlteredExecutable : Executable {
    AlteredExecutable(AlteredDevice& owner, std::unique_ptr<Executable> of)
        : device(owner), executable(std::move(of)) {}
    std::unique_ptr<Launch> bind(std::span<const Binding> bindings, Buffer& scratch) override {
      return std::make_unique<AlteredLaunch>(device, executable->bind(bindings, scratch));
    }
    const Program& program() const noexcept override { return executable->program(); }
    const Plan& plan() const noexcept override { return executable->plan(); }
    AlteredDevice& device;
    std::unique_ptr<Executable> executable;
  };

  std::unique_ptr<Device> device_ = reference_backend().open({});
};

}  // namespace linnet
