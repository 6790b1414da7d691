// Walks over the bytes of a GGUF file; nothing is read before it is known to be there, and an error says
// where.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "base/error.h"

namespace linnet {

static_assert(std::endian::native == std::endian::little, "GGUF's numbers are read as they lie");

template <class... Parts>
[[noreturn]] void fail_gguf(uint64_t offset, const Parts&... parts) {
  fail(ErrorKind::model, "gguf: at offset ", offset, ": ", parts...);
}

class GgufCursor {
 public:
  explicit GgufCursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] size_t offset() const noexcept { return offset_; }
  [[nodiscard]] size_t remaining() const noexcept { return bytes_.size() - offset_; }

  [[nodiscard]] std::span<const std::byte> take(uint64_t size, std::string_view what) {
    if (size > remaining()) {
      fail_gguf(offset_, "the file ends inside ", what, ", which needs ", size, " bytes where ", remaining(),
                " are left");
    }
    const auto taken = bytes_.subspan(offset_, size);
    offset_ += size;
    return taken;
  }

  template <class Number>
  [[nodiscard]] Number number(std::string_view what) {
    Number value;
    std::memcpy(&value, take(sizeof value, what).data(), sizeof value);
    return value;
  }

  [[nodiscard]] std::string_view string(std::string_view what) {
    const size_t at = offset_;
    const auto length = number<uint64_t>(what);
    if (length > remaining()) {
      fail_gguf(at, what, " has a length of ", length, " bytes where ", remaining(), " are left");
    }
    const auto taken = take(length, what);
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }

  // A count of things that take at least `smallest` bytes each.
  [[nodiscard]] uint64_t count(uint64_t smallest, std::string_view what) {
    const size_t at = offset_;
    const auto count = number<uint64_t>(what);
    if (count > remaining() / smallest) {
      fail_gguf(at, what, " is ", count, ", more than the ", remaining(), " bytes that are left can hold");
    }
    return count;
  }

 private:
  std::span<const std::byte> bytes_;
  size_t offset_ = 0;
};

}  // namespace linnet
