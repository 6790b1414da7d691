// Well-formed GGUF files: what the reader makes of them, field by field.
#include "files/gguf.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "files/gguf_bytes.h"
#include "files/temporary_folder.h"

namespace linnet {
namespace {

using test::GgufBytes;
using test::small_file;

TEST(Gguf, ReadsMetadataAndTensorsOfASmallFile) {
  const GgufBytes file = small_file();
  const GgufContents contents = parse_gguf(file.bytes());
  EXPECT_EQ(contents.version, 3u);
  EXPECT_EQ(contents.alignment, 32u);
  EXPECT_EQ(contents.metadata.get_string("general.architecture"), "llama");
  EXPECT_EQ(contents.metadata.get_u32("llama.block_count"), 2u);
  const auto tokens = contents.metadata.get_strings("tokens");
  EXPECT_EQ(std::vector<std::string_view>(tokens.begin(), tokens.end()),
            (std::vector<std::string_view>{"a", "", "ccc"}));
  EXPECT_EQ(contents.metadata.get_floats("scores"), (std::vector<float>{0.5f, -1.0f, 2.0f}));

  ASSERT_EQ(contents.tensors.size(), 2u);
  const TensorInfo& norm = contents.tensors[0];
  const TensorInfo& matrix = contents.tensors[1];
  EXPECT_EQ(norm.name, "norm");
  EXPECT_EQ(norm.shape, (std::vector<uint64_t>{4}));
  EXPECT_EQ(norm.format, Format::f32);
  EXPECT_EQ(norm.bytes, 16u);
  EXPECT_EQ(norm.offset, contents.data_offset);
  EXPECT_EQ(matrix.shape, (std::vector<uint64_t>{2, 32})) << "outermost first: [rows, cols]";
  EXPECT_EQ(matrix.format, Format::q8_0);
  EXPECT_EQ(matrix.elements, 64u);
  EXPECT_EQ(matrix.bytes, 68u);
  EXPECT_EQ(matrix.offset, contents.data_offset + 32);
  EXPECT_EQ(matrix.offset + matrix.bytes, file.size());
}

TEST(Gguf, StringsOfArraysAreViewsIntoTheFile) {
  const GgufBytes file = small_file();
  const GgufContents contents = parse_gguf(file.bytes());
  const auto* begin = reinterpret_cast<const char*>(file.bytes().data());
  const std::string_view last = contents.metadata.get_strings("tokens")[2];
  EXPECT_GE(last.data(), begin);
  EXPECT_LT(last.data(), begin + file.size());
}

TEST(Gguf, ReadsEveryValueTypeUnderItsId) {
  GgufBytes file;
  file.header(0, 12);
  file.string("u8").u32(test::kU8).number(uint8_t{200});
  file.string("i8").u32(test::kI8).number(int8_t{-100});
  file.string("u16").u32(test::kU16).number(uint16_t{60000});
  file.string("i16").u32(test::kI16).number(int16_t{-30000});
  file.string("u32").u32(test::kU32).number(uint32_t{4000000000u});
  file.string("i32").u32(test::kI32).number(int32_t{-2000000000});
  file.string("f32").u32(test::kF32).number(0.25f);
  file.string("bool").u32(test::kBool).number(uint8_t{1});
  file.string("string").u32(test::kString).string("x");
  file.string("u64").u32(test::kU64).number(~uint64_t{0});
  file.string("i64").u32(test::kI64).number(int64_t{-5});
  file.string("f64").u32(test::kF64).number(0.125);
  const Metadata metadata = parse_gguf(file.bytes()).metadata;
  EXPECT_EQ(metadata.get_i64("u8"), 200);
  EXPECT_EQ(metadata.get_i64("i8"), -100);
  EXPECT_EQ(metadata.get_i64("u16"), 60000);
  EXPECT_EQ(metadata.get_i64("i16"), -30000);
  EXPECT_EQ(metadata.get_i64("u32"), 4000000000);
  EXPECT_EQ(metadata.get_i64("i32"), -2000000000);
  EXPECT_EQ(metadata.get_f32("f32"), 0.25f);
  EXPECT_TRUE(metadata.get_bool("bool"));
  EXPECT_EQ(metadata.get_string("string"), "x");
  EXPECT_EQ(metadata.get_u64("u64"), ~uint64_t{0});
  EXPECT_EQ(metadata.get_i64("i64"), -5);
  EXPECT_EQ(metadata.get_f64("f64"), 0.125);
  for (const auto& [key, value] : metadata.entries()) EXPECT_EQ(type_name(value), key);
}

TEST(Gguf, AcceptsVersion2AndAnotherAlignment) {
  GgufBytes file;
  file.header(1, 1, 2).entry_u32("general.alignment", 64).tensor("x", {3}, 0, 64).pad(64).zeros(64 + 12);
  const GgufContents contents = parse_gguf(file.bytes());
  EXPECT_EQ(contents.version, 2u);
  EXPECT_EQ(contents.tensors[0].offset % 64, 0u);
  EXPECT_EQ(contents.tensors[0].offset, contents.data_offset + 64);
}

TEST(Gguf, AcceptsTensorsInAnyOrderOfTheirData) {
  GgufBytes file;
  file.header(2, 0).tensor("second", {8}, 0, 32).tensor("first", {8}, 0, 0).pad().zeros(64);
  const GgufContents contents = parse_gguf(file.bytes());
  EXPECT_GT(contents.tensors[0].offset, contents.tensors[1].offset);
}

TEST(Gguf, AFileWithoutTensorsNeedsNoPadding) {
  GgufBytes file;
  file.header(0, 1).entry_u32("a", 1);
  EXPECT_EQ(parse_gguf(file.bytes()).tensors.size(), 0u);
}

TEST(Gguf, ListsATensorItCannotComputeWithAndRefusesItOnlyWhenUsed) {
  GgufBytes file;
  file.header(1, 0).tensor("blk.0.ffn_up.weight", {256, 2}, 12, 0).pad().zeros(288);
  const TensorInfo tensor = parse_gguf(file.bytes()).tensors[0];
  EXPECT_EQ(tensor.stored_format, "Q4_K");
  EXPECT_EQ(tensor.bytes, 288u);
  EXPECT_FALSE(tensor.format.has_value());
  try {
    (void)tensor.readable_format();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    const std::string_view expected =
        "tensor 'blk.0.ffn_up.weight' has format Q4_K, which this version does not read";
    EXPECT_TRUE(std::string_view(error.what()).starts_with(expected)) << error.what();
  }
}

TEST(Gguf, SizesOfTheTypesAgreeWithTheFormats) {
  std::set<std::string_view> names;
  for (uint32_t id = 0; id < 64; ++id) {
    const GgufType* type = gguf_type(id);
    if (type == nullptr) continue;
    EXPECT_EQ(type->id, id);
    EXPECT_TRUE(names.insert(type->name).second) << type->name;
    if (!type->format) continue;
    EXPECT_EQ(type->block_elements, traits(*type->format).block_elements) << type->name;
    EXPECT_EQ(type->block_bytes, traits(*type->format).block_bytes) << type->name;
    EXPECT_EQ(gguf_type(*type->format), type);
  }
  EXPECT_EQ(names.size(), 32u);
  EXPECT_EQ(gguf_type(Format::compute), nullptr);
}

TEST(TensorFile, FindsTensorsByNameAlsoAfterAMove) {
  const test::TemporaryFolder folder;
  const GgufBytes file = small_file();
  const auto path = folder / "small.gguf";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.bytes().data()), static_cast<std::streamsize>(file.size()));
  TensorFile first = open_gguf(path);
  const TensorFile opened = std::move(first);
  ASSERT_NE(opened.find("matrix"), nullptr);
  EXPECT_EQ(opened.bytes(opened.get("matrix")).size(), 68u);
  EXPECT_EQ(opened.find("absent"), nullptr);
  EXPECT_EQ(opened.metadata().get_strings("tokens")[0], "a");
  EXPECT_THROW((void)opened.get("absent"), Error);
}

TEST(TensorFile, AnErrorNamesTheFile) {
  const test::TemporaryFolder folder;
  const auto path = folder / "not.gguf";
  std::ofstream(path) << "something else";
  try {
    (void)open_gguf(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 3);
    EXPECT_EQ(std::string(error.what()),
              "'" + path.string() + "': gguf: at offset 0: this is not a GGUF file");
  }
  EXPECT_THROW((void)open_gguf(folder / "absent.gguf"), Error);
}

}  // namespace
}  // namespace linnet
