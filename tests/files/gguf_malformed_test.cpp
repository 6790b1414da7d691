// Malformed GGUF files: each is refused with what is wrong and where, and costs no more memory than its size
// allows.
#include <gtest/gtest.h>

#include "files/allocation_meter.h"
#include "files/gguf_bytes.h"

namespace linnet {
namespace {

using test::allocated_bytes;
using test::expect_refused;
using test::GgufBytes;
using test::small_file;

constexpr uint64_t kHuge = uint64_t{1} << 63;
constexpr size_t kHeader = 24;  // magic, version, two counts

TEST(MalformedGguf, TruncationAtEveryByteIsRefused) {
  const GgufBytes whole = small_file();
  ASSERT_NO_THROW((void)parse_gguf(whole.bytes()));
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto prefix = whole.bytes().first(size);
    const std::vector<std::byte> exact(prefix.begin(), prefix.end());
    try {
      (void)parse_gguf(exact);
      ADD_FAILURE() << "accepted after " << size << " of " << whole.size() << " bytes";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::model);
      EXPECT_TRUE(std::string_view(error.what()).starts_with("gguf: at offset ")) << error.what();
    }
  }
}

TEST(MalformedGguf, AnyOneByteChangedIsReadOrRefusedButNeverFatal) {
  const GgufBytes whole = small_file();
  std::vector<std::byte> bytes(whole.bytes().begin(), whole.bytes().end());
  size_t refused = 0;
  for (std::byte& byte : bytes) {
    const std::byte right = byte;
    for (const unsigned wrong : {0x00u, 0x01u, 0x7Fu, 0x80u, 0xFFu}) {
      byte = static_cast<std::byte>(wrong);
      try {
        (void)parse_gguf(bytes);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::model);
        ++refused;
      }
    }
    byte = right;
  }
  EXPECT_GT(refused, 100u);
}

TEST(MalformedGguf, WrongMagicAndVersions) {
  expect_refused(GgufBytes().text("GGML").zeros(20).bytes(), 0, "not a GGUF file");
  expect_refused(GgufBytes().header(0, 0, 1).bytes(), 4, "version 1 is not read");
  expect_refused(GgufBytes().header(0, 0, 4).bytes(), 4, "version 4 is not read");
  expect_refused(GgufBytes().header(0, 0, 0x03000000).bytes(), 4, "big-endian");
}

TEST(MalformedGguf, CountsThatTheFileCannotHold) {
  expect_refused(GgufBytes().header(kHuge, 0).zeros(100).bytes(), 8,
                 "number of tensors is 9223372036854775808");
  expect_refused(GgufBytes().header(0, kHuge).zeros(100).bytes(), 16,
                 "number of metadata entries is 92233720");
  expect_refused(GgufBytes().header(0, 8).zeros(100).bytes(), 16, "more than the 100 bytes");
  expect_refused(GgufBytes().header(5, 0).zeros(100).bytes(), 8, "more than the");
  // Enough bytes for the tensors at first, but the metadata takes them.
  GgufBytes taken;
  taken.header(2, 1).string("k").u32(test::kString).string(std::string(60, 'x'));
  expect_refused(taken.bytes(), 8, "more than the 0 bytes after the metadata");
}

TEST(MalformedGguf, LengthsThatWrapAround) {
  GgufBytes key;
  key.header(0, 1).u64(~uint64_t{0}).zeros(40);
  expect_refused(key.bytes(), kHeader, "a metadata key has a length of 18446744073709551615");
  GgufBytes text;
  text.header(0, 1).string("k").u32(test::kString).u64(~uint64_t{0} - 7).zeros(40);
  expect_refused(text.bytes(), kHeader + 13, "'k' has a length of 18446744073709551608");
  GgufBytes array;  // 2^61 elements of 8 bytes: the product wraps to 0
  array.header(0, 1).string("k").u32(test::kArray).u32(test::kU64).u64(uint64_t{1} << 61).zeros(40);
  expect_refused(array.bytes(), kHeader + 17, "'k' is 2305843009213693952, more than the 40 bytes");
  GgufBytes strings;
  strings.header(0, 1).string("k").u32(test::kArray).u32(test::kString).u64(kHuge).zeros(40);
  expect_refused(strings.bytes(), kHeader + 17, "'k' is 9223372036854775808");
}

TEST(MalformedGguf, UnknownAndNestedValueTypes) {
  GgufBytes value;
  value.header(0, 1).string("k").u32(13).zeros(40);
  expect_refused(value.bytes(), kHeader + 9, "'k' has the unknown type 13");
  GgufBytes element;
  element.header(0, 1).string("k").u32(test::kArray).u32(99).u64(1).zeros(40);
  expect_refused(element.bytes(), kHeader + 13, "elements of the unknown type 99");
  GgufBytes nested;
  nested.header(0, 1).string("k").u32(test::kArray);
  for (int depth = 0; depth < 100000; ++depth) nested.u32(test::kArray).u64(1);
  expect_refused(nested.bytes(), kHeader + 13, "'k' is an array of arrays");
  GgufBytes flag;
  flag.header(0, 1).string("k").u32(test::kBool).number(uint8_t{2});
  expect_refused(flag.bytes(), kHeader + 13, "a bool with the value 2");
  GgufBytes flags;
  flags.header(0, 1)
      .string("k")
      .u32(test::kArray)
      .u32(test::kBool)
      .u64(2)
      .number(uint8_t{1})
      .number(uint8_t{7});
  expect_refused(flags.bytes(), kHeader + 26, "a bool with the value 7");
}

TEST(MalformedGguf, KeysThatAreEmptyTooLongOrDouble) {
  GgufBytes twice;
  twice.header(0, 2).entry_u32("same", 1).entry_u32("same", 1);
  expect_refused(twice.bytes(), kHeader + 20, "metadata key 'same' appears twice");
  expect_refused(GgufBytes().header(0, 1).entry_u32("", 1).bytes(), kHeader, "a metadata key is empty");
  GgufBytes large;
  large.header(0, 1).entry_u32(std::string(65536, 'k'), 1);
  expect_refused(large.bytes(), kHeader, "has 65536 bytes");
}

TEST(MalformedGguf, AlignmentThatIsNoSmallPowerOfTwo) {
  for (const uint32_t alignment : {0u, 1u, 4u, 24u, 33u, 1u << 22, 1u << 31, ~0u}) {
    GgufBytes file;
    file.header(1, 1).entry_u32("general.alignment", alignment).tensor("x", {1}, 0, 0).pad().zeros(64);
    expect_refused(file.bytes(), kHeader, concat("general.alignment is ", alignment));
  }
  GgufBytes wrong_type;
  wrong_type.header(0, 1).string("general.alignment").u32(test::kString).string("32");
  expect_refused(wrong_type.bytes(), kHeader, "general.alignment: expected u32, got string");
}

TEST(MalformedGguf, DimensionsThatAreTooManyZeroOrWrap) {
  constexpr size_t kDimensions = kHeader + 9;  // after the name "x"
  expect_refused(GgufBytes().header(1, 0).tensor("x", {1, 1, 1, 1, 1}, 0, 0).bytes(), kDimensions,
                 "has 5 dimensions");
  GgufBytes many;
  many.header(1, 0).string("x").u32(~0u).zeros(64);
  expect_refused(many.bytes(), kDimensions, "has 4294967295 dimensions");
  expect_refused(GgufBytes().header(1, 0).tensor("x", {4, 0}, 0, 0).bytes(), kDimensions + 12,
                 "a dimension of 0");
  GgufBytes product;
  product.header(1, 0).tensor("x", {uint64_t{1} << 32, uint64_t{1} << 32}, 0, 0);
  expect_refused(product.bytes(), kDimensions + 12, "product of its dimensions does not fit");
  GgufBytes size;
  size.header(1, 0).tensor("x", {uint64_t{1} << 62}, 0, 0);
  expect_refused(size.bytes(), kDimensions + 12, "its size does not fit in 64 bits");
}

TEST(MalformedGguf, TensorTypesThatAreUnknownOrDoNotFitTheRows) {
  constexpr size_t kType = kHeader + 9 + 4 + 8;
  for (const uint32_t type : {4u, 5u, 31u, 36u, 1000u, ~0u}) {
    expect_refused(GgufBytes().header(1, 0).tensor("x", {32}, type, 0).bytes(), kType,
                   concat("unknown type ", type));
  }
  expect_refused(GgufBytes().header(1, 0).tensor("x", {48}, 8, 0).bytes(), kType,
                 "rows of 48 elements do not fill whole blocks of 32 in Q8_0");
}

TEST(MalformedGguf, TensorsOutOfRangeMisalignedOrOverlapping) {
  constexpr size_t kOffset = kHeader + 9 + 4 + 8 + 4;
  GgufBytes beyond;
  beyond.header(1, 0).tensor("x", {8}, 0, 0).pad().zeros(31);
  expect_refused(beyond.bytes(), kOffset, "tensor 'x' takes bytes 64 to 96 but the file ends at 95");
  GgufBytes far;
  far.header(1, 0).tensor("x", {8}, 0, uint64_t{1} << 40).pad().zeros(32);
  expect_refused(far.bytes(), kOffset, "but the file ends at 96");
  GgufBytes begin_wraps;
  begin_wraps.header(1, 0).tensor("x", {8}, 0, ~uint64_t{31}).pad().zeros(32);
  expect_refused(begin_wraps.bytes(), kOffset, "the end of its data does not fit in 64 bits");
  GgufBytes end_wraps;
  end_wraps.header(1, 0).tensor("x", {uint64_t{1} << 61}, 0, kHuge).pad().zeros(32);
  expect_refused(end_wraps.bytes(), kOffset, "the end of its data does not fit in 64 bits");
  GgufBytes misaligned;
  misaligned.header(1, 0).tensor("x", {8}, 0, 4).pad().zeros(64);
  expect_refused(misaligned.bytes(), kOffset, "offset 4 is not a multiple of the alignment 32");

  constexpr size_t kEachTensor = 8 + 1 + 4 + 8 + 4 + 8;
  GgufBytes overlapping;
  overlapping.header(3, 0)
      .tensor("a", {8}, 0, 64)
      .tensor("b", {16}, 0, 0)
      .tensor("c", {8}, 0, 32)
      .pad()
      .zeros(96);
  expect_refused(overlapping.bytes(), kOffset + 2 * kEachTensor, "the data of tensors 'b' and 'c' overlap");
  GgufBytes same;
  same.header(2, 0).tensor("a", {8}, 0, 0).tensor("b", {8}, 0, 0).pad().zeros(32);
  expect_refused(same.bytes(), kOffset + kEachTensor, "the data of tensors 'a' and 'b' overlap");
}

TEST(MalformedGguf, TensorNamesThatAreDoubleOrEmpty) {
  GgufBytes twice;
  twice.header(2, 0).tensor("x", {8}, 0, 0).tensor("x", {8}, 0, 32).pad().zeros(64);
  expect_refused(twice.bytes(), kHeader + 33, "tensor 'x' appears twice");
  expect_refused(GgufBytes().header(1, 0).tensor("", {8}, 0, 0).bytes(), kHeader, "a tensor's name is empty");
}

TEST(MalformedGguf, MessagesCarryNoControlCharactersFromTheFile) {
  GgufBytes file;
  file.header(0, 1).string("\x1B[2Jk").u32(77).zeros(8);
  expect_refused(file.bytes(), kHeader + 13, "'\\x1B[2Jk' has the unknown type 77");
}

// What a parse may allocate in all, per byte of the file: an entry of 14 bytes costs a key, a node and a
// variant.
constexpr size_t kMostBytesPerByte = 64;

TEST(MalformedGguf, MemoryIsBoundedByTheFileWhateverItsCountsSay) {
  const auto allocated_for = [](const GgufBytes& file) {
    const size_t before = allocated_bytes();
    try {
      (void)parse_gguf(file.bytes());
    } catch (const Error&) {
    }
    return allocated_bytes() - before;
  };
  constexpr size_t kSlack = 16384;  // messages
  for (const uint64_t count :
       {uint64_t{1000000}, uint64_t{1} << 32, uint64_t{1} << 60, kHuge, ~uint64_t{0}}) {
    for (const uint32_t element : {test::kU8, test::kF64, test::kBool, test::kString}) {
      GgufBytes array;
      array.header(0, 1).string("k").u32(test::kArray).u32(element).u64(count).zeros(1000);
      EXPECT_LT(allocated_for(array), kMostBytesPerByte * array.size() + kSlack) << element << " × " << count;
    }
    EXPECT_LT(allocated_for(GgufBytes().header(count, 0).zeros(1000)), kSlack);
    EXPECT_LT(allocated_for(GgufBytes().header(0, count).zeros(1000)), kSlack);
  }
  GgufBytes dense;  // the smallest entries there are
  constexpr int kEntries = 20000;
  dense.header(0, kEntries);
  for (int i = 0; i < kEntries; ++i) dense.string(concat(i)).u32(test::kU8).number(uint8_t{0});
  EXPECT_LT(allocated_for(dense), kMostBytesPerByte * dense.size() + kSlack);
  GgufBytes empty_strings;
  empty_strings.header(0, 1).string("k").u32(test::kArray).u32(test::kString).u64(100000).zeros(800000);
  EXPECT_LT(allocated_for(empty_strings), 3 * empty_strings.size() + kSlack);
}

}  // namespace
}  // namespace linnet
