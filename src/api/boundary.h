// Where the inside meets the public API: handles are opened, and errors change from the internal type to the
// public one.
#pragma once

#include <memory>
#include <new>

#include "base/error.h"
#include "device/device.h"
#include "linnet/device.hpp"
#include "linnet/error.hpp"
#include "linnet/tensor.hpp"

namespace linnet::v0 {

struct Device::Impl {
  std::unique_ptr<linnet::Device> device;
  std::string note;
};

// The way into the handles. A handle that was moved from is an Error(usage).
struct Internals {
  [[nodiscard]] static const std::shared_ptr<Device::Impl>& shared(const Device& device) {
    if (!device.impl_) linnet::fail(linnet::ErrorKind::usage, "device: this handle was moved from");
    return device.impl_;
  }
  [[nodiscard]] static linnet::Device& device(const Device& handle) { return *shared(handle)->device; }
  [[nodiscard]] static Device handle(std::shared_ptr<Device::Impl> impl) { return Device(std::move(impl)); }

  [[nodiscard]] static const std::shared_ptr<const Tensor::Impl>& shared(const Tensor& tensor) {
    return tensor.impl_;
  }
  [[nodiscard]] static Tensor handle(std::shared_ptr<const Tensor::Impl> impl) {
    return Tensor(std::move(impl));
  }
};

// Both lists of kinds are the exit codes.
[[nodiscard]] inline ErrorKind public_kind(linnet::ErrorKind kind) noexcept {
  return static_cast<ErrorKind>(static_cast<uint8_t>(kind));
}
static_assert(static_cast<int>(ErrorKind::failure) == static_cast<int>(linnet::ErrorKind::failure));
static_assert(static_cast<int>(ErrorKind::usage) == static_cast<int>(linnet::ErrorKind::usage));
static_assert(static_cast<int>(ErrorKind::model) == static_cast<int>(linnet::ErrorKind::model));
static_assert(static_cast<int>(ErrorKind::device) == static_cast<int>(linnet::ErrorKind::device));
static_assert(static_cast<int>(ErrorKind::does_not_fit) == static_cast<int>(linnet::ErrorKind::does_not_fit));
static_assert(static_cast<int>(ErrorKind::interrupted) == static_cast<int>(linnet::ErrorKind::interrupted));

// Calls work(); what it throws leaves as a public Error. Exceptions that are no error of Linnet's (a
// callback's own) pass.
template <class Work>
decltype(auto) at_boundary(Work&& work) {
  try {
    return work();
  } catch (const linnet::Error& error) {
    throw Error(public_kind(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::does_not_fit, "the system has no memory left");
  }
}

}  // namespace linnet::v0
