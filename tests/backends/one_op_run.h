// Runs a program on the reference with values given by name and hands back what it wrote: for tests that work
// the expected numbers out by hand.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "backends/reference/backend.h"
#include "check/bound_program.h"
#include "program/recorder.h"

namespace linnet {

class GivenValues : public ProgramInputs {
 public:
  explicit GivenValues(const Program& program) : program_(program) {}

  void floats(const std::string& name, std::vector<float> numbers) { floats_[name] = std::move(numbers); }
  void integers(const std::string& name, std::vector<int32_t> numbers) {
    integers_[name] = std::move(numbers);
  }

  [[nodiscard]] Weight weight(Value value) const override {
    const WeightSpec spec = spec_of(program_, value);
    return {spec, source_of(spec, contents(value, program_.info(value)))};
  }
  [[nodiscard]] std::vector<std::byte> contents(Value, const ValueInfo& info) const override {
    std::vector<std::byte> bytes(bytes_of(info.format, info.shape.elements()));
    if (const auto found = floats_.find(info.name); found != floats_.end()) {
      std::vector<float> numbers = found->second;
      numbers.resize(info.shape.elements());
      encode(info.format, numbers, bytes);
    } else if (const auto words = integers_.find(info.name); words != integers_.end()) {
      std::memcpy(bytes.data(), words->second.data(), words->second.size() * sizeof(int32_t));
    }
    return bytes;
  }

 private:
  const Program& program_;
  std::map<std::string, std::vector<float>> floats_;
  std::map<std::string, std::vector<int32_t>> integers_;
};

class ReferenceRun {
 public:
  ReferenceRun(const Program& program, const GivenValues& given, std::vector<uint32_t> extents = {})
      : device_(reference_backend().open({})), bound_(*device_, program, {.reuse_scratch = false}, given) {
    bound_.run(extents);
  }
  // Throw the device's error if the run failed.
  [[nodiscard]] std::vector<float> floats(Value value) { return bound_.floats(value); }
  [[nodiscard]] std::vector<int32_t> integers(Value value) {
    const std::vector<std::byte> bytes = bound_.bytes(value);
    std::vector<int32_t> numbers(bytes.size() / sizeof(int32_t));
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }
  [[nodiscard]] Device& device() { return *device_; }

 private:
  std::unique_ptr<Device> device_;
  BoundProgram bound_;
};

}  // namespace linnet
