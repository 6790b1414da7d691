// What the writer writes, the reader reads back; and nothing half-written ever has the final name.
#include "files/gguf_writer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "base/error.h"
#include "files/gguf.h"
#include "files/temporary_folder.h"

namespace linnet {
namespace {

[[nodiscard]] std::vector<std::byte> counting_bytes(size_t size) {
  std::vector<std::byte> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + 1);
  return bytes;
}

[[nodiscard]] Metadata every_type() {
  Metadata metadata;
  metadata.set("general.architecture", std::string("llama"));
  metadata.set("u8", uint8_t{1});
  metadata.set("i8", int8_t{-1});
  metadata.set("u16", uint16_t{2});
  metadata.set("i16", int16_t{-2});
  metadata.set("u32", uint32_t{3});
  metadata.set("i32", int32_t{-3});
  metadata.set("f32", 0.5f);
  metadata.set("true", true);
  metadata.set("false", false);
  metadata.set("u64", uint64_t{4});
  metadata.set("i64", int64_t{-4});
  metadata.set("f64", 0.25);
  metadata.set("strings",
               MetadataArray(StringArray(std::vector<std::string>{"", "▁a", std::string("\0\xFF", 2)})));
  metadata.set("bools", MetadataArray(std::vector<bool>{true, false, true}));
  metadata.set("i32s", MetadataArray(std::vector<int32_t>{-1, 1}));
  metadata.set("u64s", MetadataArray(std::vector<uint64_t>{~uint64_t{0}}));
  metadata.set("f64s", MetadataArray(std::vector<double>{}));
  return metadata;
}

TEST(GgufWriter, WhatIsWrittenIsReadBackWithExactTypes) {
  const test::TemporaryFolder folder;
  const auto path = folder / "model.gguf";
  const Metadata metadata = every_type();
  const std::vector<GgufTensor> tensors = {{"vector", {5}, Format::f32},
                                           {"matrix", {3, 64}, Format::q8_0},
                                           {"half", {2, 3, 5}, Format::f16},
                                           {"scalar", {}, Format::i32}};
  const std::vector<std::byte> data = counting_bytes(20 + 204 + 60 + 4);
  GgufWriter writer(path, metadata, tensors);
  for (size_t i = 0; i < data.size(); i += 7) {  // chunks that straddle tensors
    writer.write(std::span(data).subspan(i, std::min<size_t>(7, data.size() - i)));
  }
  writer.finish();

  const TensorFile file = open_gguf(path);
  ASSERT_EQ(file.metadata().entries().size(), metadata.entries().size());
  for (size_t i = 0; i < metadata.entries().size(); ++i) {
    const auto& [key, value] = metadata.entries()[i];
    EXPECT_EQ(file.metadata().entries()[i].first, key);
    EXPECT_EQ(type_name(file.metadata().entries()[i].second), type_name(value)) << key;
  }
  EXPECT_EQ(file.metadata().get_i64("i16"), -2);
  EXPECT_TRUE(file.metadata().get_bool("true"));
  EXPECT_FALSE(file.metadata().get_bool("false"));
  EXPECT_EQ(file.metadata().get_strings("strings")[2], std::string_view("\0\xFF", 2));
  EXPECT_EQ(file.metadata().get_integers("i32s"), (std::vector<int64_t>{-1, 1}));
  EXPECT_EQ(std::get<std::vector<bool>>(std::get<MetadataArray>(*file.metadata().find("bools"))),
            (std::vector<bool>{true, false, true}));
  EXPECT_TRUE(file.metadata().get_floats("f64s").empty());

  ASSERT_EQ(file.tensors().size(), tensors.size());
  size_t at = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorInfo& tensor = file.tensors()[i];
    EXPECT_EQ(tensor.name, tensors[i].name);
    EXPECT_EQ(tensor.shape, tensors[i].shape);
    EXPECT_EQ(tensor.format, tensors[i].format);
    EXPECT_EQ(tensor.offset % kGgufDefaultAlignment, 0u);
    const auto bytes = file.bytes(tensor);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), data.begin() + static_cast<std::ptrdiff_t>(at)))
        << tensor.name;
    at += tensor.bytes;
  }
  EXPECT_EQ(at, data.size());
}

TEST(GgufWriter, TheHeaderAloneParsesWhenThereAreNoTensors) {
  const std::vector<std::byte> header = encode_gguf_header(every_type(), {});
  EXPECT_EQ(parse_gguf(header).metadata.entries().size(), every_type().entries().size());
}

TEST(GgufWriter, KeepsTheAlignmentThatTheMetadataAsksFor) {
  const test::TemporaryFolder folder;
  Metadata metadata;
  metadata.set("general.alignment", uint32_t{256});
  GgufWriter writer(folder / "a.gguf", metadata, {{"a", {1}, Format::f32}, {"b", {1}, Format::f32}});
  writer.write(counting_bytes(8));
  writer.finish();
  const TensorFile file = open_gguf(folder / "a.gguf");
  EXPECT_EQ(file.get("b").offset - file.get("a").offset, 256u);
}

TEST(GgufWriter, AnAbandonedFileLeavesNothingAndKeepsTheOldOne) {
  const test::TemporaryFolder folder;
  const auto path = folder / "model.gguf";
  std::ofstream(path) << "old";
  {
    GgufWriter writer(path, {}, {{"a", {4}, Format::f32}});
    writer.write(counting_bytes(8));
    EXPECT_EQ(folder.files(), 2u);
    EXPECT_THROW(writer.finish(), Error);
  }
  EXPECT_EQ(folder.files(), 1u);
  std::string text;
  std::ifstream(path) >> text;
  EXPECT_EQ(text, "old");
}

TEST(GgufWriter, RefusesMoreBytesThanTheTensorsHave) {
  const test::TemporaryFolder folder;
  GgufWriter writer(folder / "a.gguf", {}, {{"a", {4}, Format::f32}});
  EXPECT_THROW(writer.write(counting_bytes(17)), Error);
}

TEST(GgufWriter, RefusesTensorsThatCannotBeStored) {
  EXPECT_THROW((void)encode_gguf_header({}, std::vector<GgufTensor>{{"a", {4}, Format::compute}}), Error);
  EXPECT_THROW((void)encode_gguf_header({}, std::vector<GgufTensor>{{"a", {33}, Format::q8_0}}), Error);
  EXPECT_THROW((void)encode_gguf_header({}, std::vector<GgufTensor>{{"a", {0}, Format::f32}}), Error);
  EXPECT_THROW((void)encode_gguf_header({}, std::vector<GgufTensor>{{"a", {1, 1, 1, 1, 1}, Format::f32}}),
               Error);
  Metadata metadata;
  metadata.set("general.alignment", uint32_t{0});
  EXPECT_THROW((void)encode_gguf_header(metadata, {}), Error);
}

TEST(GgufWriter, SaysWhenTheFolderIsNotThere) {
  const test::TemporaryFolder folder;
  try {
    GgufWriter writer(folder / "absent/model.gguf", {}, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::failure);
  }
}

TEST(GgufWriter, TheFileHasThePermissionsOfAnyNewFile) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "plain") << "x";
  GgufWriter writer(folder / "model.gguf", {}, {});
  writer.finish();
  struct stat plain {
  }, model{};
  ASSERT_EQ(::stat((folder / "plain").c_str(), &plain), 0);
  ASSERT_EQ(::stat((folder / "model.gguf").c_str(), &model), 0);
  EXPECT_EQ(model.st_mode & 0777, plain.st_mode & 0777);
}

}  // namespace
}  // namespace linnet
