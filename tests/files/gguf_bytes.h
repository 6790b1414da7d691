// Lays out GGUF files byte by byte, right or wrong, independent of the writer under test.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "files/gguf.h"

namespace linnet::test {

// GGUF's ids of value types.
enum : uint32_t { kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kString, kArray, kU64, kI64, kF64 };

class GgufBytes {
 public:
  GgufBytes& text(std::string_view text) {
    for (const char character : text) bytes_.push_back(static_cast<std::byte>(character));
    return *this;
  }
  template <class Number>
  GgufBytes& number(Number value) {
    std::byte raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    for (const std::byte byte : raw) bytes_.push_back(byte);
    return *this;
  }
  GgufBytes& u32(uint32_t value) { return number(value); }
  GgufBytes& u64(uint64_t value) { return number(value); }
  GgufBytes& string(std::string_view value) { return u64(value.size()).text(value); }
  GgufBytes& header(uint64_t tensors, uint64_t entries, uint32_t version = 3) {
    return text("GGUF").u32(version).u64(tensors).u64(entries);
  }
  GgufBytes& entry_u32(std::string_view key, uint32_t value) { return string(key).u32(kU32).u32(value); }
  // Dimensions in the file's order: innermost first.
  GgufBytes& tensor(std::string_view name, const std::vector<uint64_t>& dimensions, uint32_t type,
                    uint64_t offset) {
    string(name).u32(static_cast<uint32_t>(dimensions.size()));
    for (const uint64_t dimension : dimensions) u64(dimension);
    return u32(type).u64(offset);
  }
  GgufBytes& pad(size_t alignment = 32) { return zeros((alignment - bytes_.size() % alignment) % alignment); }
  GgufBytes& zeros(size_t count) {
    bytes_.resize(bytes_.size() + count);
    return *this;
  }

  [[nodiscard]] size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// A small file with every kind of content; without padding at its end, so that no shorter prefix is complete.
[[nodiscard]] inline GgufBytes small_file() {
  GgufBytes file;
  file.header(2, 4);
  file.string("general.architecture").u32(kString).string("llama");
  file.entry_u32("llama.block_count", 2);
  file.string("tokens").u32(kArray).u32(kString).u64(3).string("a").string("").string("ccc");
  file.string("scores").u32(kArray).u32(kF32).u64(3).number(0.5f).number(-1.0f).number(2.0f);
  file.tensor("norm", {4}, 0, 0).tensor("matrix", {32, 2}, 8, 32);
  return file.pad().zeros(32 + 2 * 34);
}

// Expects Error(model) with "gguf: at offset N: " and the fragment. The bytes are copied to a block of
// exactly their size, so that the address sanitizer sees a read beyond.
inline void expect_refused(std::span<const std::byte> bytes, size_t offset, std::string_view fragment) {
  const std::vector<std::byte> exact(bytes.begin(), bytes.end());
  try {
    (void)parse_gguf(exact);
    FAIL() << "accepted; expected: " << fragment;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with(concat("gguf: at offset ", offset, ": "))) << message;
    EXPECT_NE(message.find(fragment), std::string::npos) << message << "\nexpected: " << fragment;
  }
}

}  // namespace linnet::test
