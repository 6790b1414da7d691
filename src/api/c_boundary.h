// What every function of the C ABI shares: no exception leaves, the error is kept for linnet_last_error(),
// and structs that begin with their size are read and written no further than the caller's version of them
// goes.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "linnet/error.hpp"
#include "linnet/linnet.h"

namespace linnet::v0 {

// Never throws: without memory for the message a fixed one is kept.
void keep_error(std::string_view message) noexcept;
[[nodiscard]] linnet_status caught() noexcept;  // within a catch block

template <class Work>
linnet_status without_exceptions(Work&& work) noexcept {
  try {
    work();
    return LINNET_OK;
  } catch (...) {
    return caught();
  }
}

[[noreturn]] inline void refuse(const std::string& message) {
  throw Error(ErrorKind::usage, message);
}

template <class T>
T& required(T* pointer, std::string_view name) {
  if (pointer == nullptr) refuse(std::string(name) + ": expected a pointer, got NULL");
  return *pointer;
}

// The caller's options in today's struct: what an older caller does not have is 0; what a newer one has
// beyond must be 0, because this version cannot honour it.
template <class Options>
Options read_options(const Options* given, std::string_view name) {
  Options result{};
  result.size = sizeof result;
  if (given == nullptr) return result;
  if (given->size < sizeof given->size) {
    refuse(std::string(name) + ": size is " + std::to_string(given->size) + "; set it to sizeof(" +
           std::string(name) + ")");
  }
  constexpr size_t kMostBytes = 4096;  // no version will be larger; a larger number is no size
  if (given->size > kMostBytes) refuse(std::string(name) + ": size is " + std::to_string(given->size));
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  if (std::any_of(bytes + std::min(sizeof result, given->size), bytes + given->size,
                  [](unsigned char b) { return b != 0; })) {
    refuse(std::string(name) + ": an option is set that this version of Linnet does not know");
  }
  std::memcpy(&result, given, std::min(sizeof result, given->size));
  result.size = sizeof result;
  return result;
}

// Writes as much of the result as the caller's struct has room for; its size stays.
template <class Result>
void write_result(Result result, Result* into, std::string_view name) {
  if (into->size < sizeof into->size) {
    refuse(std::string(name) + ": size is " + std::to_string(into->size) + "; set it to sizeof(" +
           std::string(name) + ")");
  }
  result.size = into->size;
  std::memcpy(into, &result, std::min(sizeof result, into->size));
}

// The same check before any work is done.
template <class Result>
void check_result(const Result* into, std::string_view name) {
  if (into != nullptr && into->size < sizeof into->size) {
    refuse(std::string(name) + ": size is " + std::to_string(into->size) + "; set it to sizeof(" +
           std::string(name) + ")");
  }
}

// For the caller to give back to linnet_string_free().
[[nodiscard]] char* given_string(std::string_view text);

}  // namespace linnet::v0
