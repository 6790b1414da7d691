#include "files/gguf_split.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "files/gguf_bytes.h"
#include "files/part_name.h"
#include "files/quantize.h"
#include "files/safetensors_bytes.h"
#include "files/temporary_folder.h"

namespace linnet {
namespace {

using test::GgufBytes;

constexpr uint32_t kU16 = 2, kI32 = 5;  // llama.cpp's types of the keys

// A part with one tensor of two floats, both `value`.
GgufBytes part(uint16_t number, uint16_t count, int32_t tensors, const char* tensor, float value) {
  GgufBytes file;
  file.header(1, number == 0 ? 4 : 3);
  if (number == 0) file.string("general.architecture").u32(test::kString).string("llama");
  file.string("split.no").u32(kU16).number(number);
  file.string("split.count").u32(kU16).number(count);
  file.string("split.tensors.count").u32(kI32).number(tensors);
  return file.tensor(tensor, {2}, 0, 0).pad().number(value).number(value).zeros(24);
}

void write(const std::filesystem::path& path, const GgufBytes& file) {
  test::write_bytes(path, {reinterpret_cast<const char*>(file.bytes().data()), file.size()});
}

template <class Call>
void expect_refused(Call call, std::string_view fragment) {
  try {
    (void)call();
    FAIL() << "accepted; expected: " << fragment;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_NE(std::string_view(error.what()).find(fragment), std::string_view::npos) << error.what();
  }
}

class GgufParts : public ::testing::Test {
 protected:
  void SetUp() override {
    write(first, part(0, 3, 3, "a", 1));
    write(second, part(1, 3, 3, "b", 2));
    write(third, part(2, 3, 3, "c", 3));
  }
  test::TemporaryFolder folder;
  std::filesystem::path first = folder / "m-00001-of-00003.gguf";
  std::filesystem::path second = folder / "m-00002-of-00003.gguf";
  std::filesystem::path third = folder / "m-00003-of-00003.gguf";
};

TEST_F(GgufParts, AnyPartOpensAll) {
  for (const auto& path : {first, second, third}) {
    const TensorFile file = open_gguf(path);
    ASSERT_EQ(file.tensors().size(), 3u);
    EXPECT_EQ(file.path(), first);
    EXPECT_EQ(file.metadata().get_string("general.architecture"), "llama");
    for (const auto& [name, value] : {std::pair("a", 1.0f), std::pair("b", 2.0f), std::pair("c", 3.0f)}) {
      float read[2] = {};
      file.read(file.get(name), 0, std::as_writable_bytes(std::span(read)));
      EXPECT_EQ(read[1], value);
    }
  }
}

TEST_F(GgufParts, BecomeOneFileWithoutTheirKeys) {
  const TensorFile parts = open_gguf(second);
  (void)quantize(parts, same_contents(parts), folder / "one.gguf", {.target = Format::f32, .progress = {}});
  const TensorFile one = open_gguf(folder / "one.gguf");
  EXPECT_EQ(one.files().size(), 1u);
  EXPECT_EQ(one.tensors().size(), 3u);
  EXPECT_FALSE(gguf_split(one.metadata()));
}

TEST_F(GgufParts, NamesThoseThatAreMissing) {
  std::filesystem::remove(first);
  std::filesystem::remove(third);
  expect_refused([&] { return open_gguf(second); },
                 "missing beside it: 'm-00001-of-00003.gguf', 'm-00003-of-00003.gguf'");
}

TEST_F(GgufParts, ArePutTogetherByTheirNamesOnly) {
  std::filesystem::rename(second, folder / "other.gguf");
  expect_refused([&] { return open_gguf(folder / "other.gguf"); }, "must end in '-00002-of-00003.gguf'");
}

TEST_F(GgufParts, RefusePartsThatDoNotBelongTogether) {
  write(second, part(2, 3, 3, "b", 2));
  expect_refused([&] { return open_gguf(first); }, "part 2 of 3 says that it is part 3 of 3");
  write(second, part(1, 2, 3, "b", 2));
  expect_refused([&] { return open_gguf(first); }, "part 2 of 3 says that it is part 2 of 2");
  write(second, test::small_file());
  expect_refused([&] { return open_gguf(first); }, "says that it is a whole model");
  write(second, part(1, 3, 3, "a", 2));
  expect_refused([&] { return open_gguf(first); }, "tensor 'a' of part 2 is in another part too");
  write(second, part(1, 3, 3, "b", 2));
  write(first, part(0, 3, 4, "a", 1));
  expect_refused([&] { return open_gguf(first); }, "is 4, but the parts have 3 tensors");
}

TEST(GgufSplit, ChecksItsKeys) {
  Metadata metadata;
  EXPECT_FALSE(gguf_split(metadata));
  metadata.set("split.count", uint16_t{1});
  EXPECT_FALSE(gguf_split(metadata)) << "one part is the whole";
  metadata.set("split.count", uint16_t{2});
  expect_refused([&] { return gguf_split(metadata); }, "split.no");
  metadata.set("split.no", uint16_t{2});
  metadata.set("split.tensors.count", int32_t{-1});
  expect_refused([&] { return gguf_split(metadata); }, "split.tensors.count");
  metadata.set("split.tensors.count", int32_t{1});
  expect_refused([&] { return gguf_split(metadata); }, "expected less than the 2 parts, got 2");
  metadata.set("split.count", uint32_t{1} << 20);
  expect_refused([&] { return gguf_split(metadata); }, "at most 65535");
}

TEST(PartName, IsReadExactly) {
  const auto part = parse_part_name("some-model-00002-of-00013.gguf", ".gguf");
  ASSERT_TRUE(part);
  EXPECT_EQ(part->stem, "some-model");
  EXPECT_EQ(part->number, 2u);
  EXPECT_EQ(part->count, 13u);
  for (const char* name :
       {"m.gguf", "m-00001-of-0003.gguf", "m-0000a-of-00003.gguf", "m-00001-of-00003.safetensors",
        "-00001-of-00003.gguf", "m_00001-of-00003.gguf", ""})
    EXPECT_FALSE(parse_part_name(name, ".gguf")) << name;
}

}  // namespace
}  // namespace linnet
