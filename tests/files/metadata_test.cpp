// Typed access to metadata: what converts, what is refused and in which words.
#include "files/metadata.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace linnet {
namespace {

template <class Call>
void expect_model_error(Call call, std::string_view fragment) {
  try {
    (void)call();
    FAIL() << "no error; expected: " << fragment;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_NE(std::string_view(error.what()).find(fragment), std::string_view::npos) << error.what();
  }
}

TEST(Metadata, KeepsTheOrderOfKeysWhenOneIsReplacedOrErased) {
  Metadata metadata;
  metadata.set("c", uint32_t{1});
  metadata.set("a", uint32_t{2});
  metadata.set("b", uint32_t{3});
  metadata.set("a", uint32_t{20});
  metadata.erase("c");
  ASSERT_EQ(metadata.entries().size(), 2u);
  EXPECT_EQ(metadata.entries()[0].first, "a");
  EXPECT_EQ(metadata.entries()[1].first, "b");
  EXPECT_EQ(metadata.get_u32("a"), 20u);
  EXPECT_EQ(metadata.get_u32("b"), 3u);
  EXPECT_FALSE(metadata.contains("c"));
}

TEST(Metadata, InsertRefusesAKeyThatIsThere) {
  Metadata metadata;
  EXPECT_TRUE(metadata.insert("a", uint32_t{1}));
  EXPECT_FALSE(metadata.insert("a", uint32_t{2}));
  EXPECT_EQ(metadata.get_u32("a"), 1u);
}

TEST(Metadata, AnyIntegerTypeServesAsLongAsTheValueFits) {
  Metadata metadata;
  metadata.set("i64", int64_t{7});
  metadata.set("u8", uint8_t{255});
  metadata.set("negative", int8_t{-1});
  metadata.set("large", uint64_t{1} << 32);
  EXPECT_EQ(metadata.get_u32("i64"), 7u);
  EXPECT_EQ(metadata.get_u32("u8"), 255u);
  EXPECT_EQ(metadata.get_i64("negative"), -1);
  EXPECT_EQ(metadata.get_u64("large"), uint64_t{1} << 32);
  expect_model_error([&] { return metadata.get_u32("large"); },
                     "'large': 4294967296 is not between 0 and 4294967295");
  expect_model_error([&] { return metadata.get_u64("negative"); }, "'negative': -1 is not between 0");
}

TEST(Metadata, ErrorsNameTheKeyAndBothTypes) {
  Metadata metadata;
  metadata.set("name", std::string("x"));
  metadata.set("flag", true);
  metadata.set("number", 1.5f);
  metadata.set("list", MetadataArray(std::vector<uint16_t>{1, 2}));
  expect_model_error([&] { return metadata.get_u32("llama.block_count"); }, "no key 'llama.block_count'");
  expect_model_error([&] { return metadata.get_u32("flag"); }, "'flag': expected an integer, got bool");
  expect_model_error([&] { return metadata.get_u32("number"); }, "'number': expected an integer, got f32");
  expect_model_error([&] { return metadata.get_f32("name"); }, "'name': expected a float, got string");
  expect_model_error([&] { return metadata.get_string("list"); },
                     "'list': expected a string, got array of u16");
  expect_model_error([&] { return metadata.get_bool("name"); }, "'name': expected a bool, got string");
  expect_model_error([&] { return metadata.get_strings("list"); },
                     "expected an array of strings, got array of u16");
  expect_model_error([&] { return metadata.get_floats("list"); },
                     "expected an array of floats, got array of u16");
  expect_model_error([&] { return metadata.get_integers("number"); },
                     "expected an array of integers, got f32");
}

TEST(Metadata, FindGivesNothingForAMissingKeyAndStillRefusesAWrongType) {
  Metadata metadata;
  metadata.set("name", std::string("x"));
  EXPECT_EQ(metadata.find_u32("absent"), std::nullopt);
  EXPECT_EQ(metadata.find_strings("absent").has_value(), false);
  EXPECT_EQ(metadata.find_string("name"), "x");
  expect_model_error([&] { return metadata.find_u32("name"); }, "expected an integer, got string");
}

TEST(Metadata, ArraysConvertBetweenWidths) {
  Metadata metadata;
  metadata.set("doubles", MetadataArray(std::vector<double>{0.5, -2.0}));
  metadata.set("bytes", MetadataArray(std::vector<int8_t>{-3, 4}));
  metadata.set("too large", MetadataArray(std::vector<uint64_t>{uint64_t{1} << 63}));
  EXPECT_EQ(metadata.get_floats("doubles"), (std::vector<float>{0.5f, -2.0f}));
  EXPECT_EQ(metadata.get_integers("bytes"), (std::vector<int64_t>{-3, 4}));
  expect_model_error([&] { return metadata.get_integers("too large"); },
                     "9223372036854775808 is not between");
}

TEST(Metadata, OwnedStringArraysSurviveCopies) {
  Metadata copy;
  {
    Metadata original;
    original.set(
        "words",
        MetadataArray(StringArray(std::vector<std::string>{"one", "a word longer than any buffer inside"})));
    copy = original;
  }
  EXPECT_EQ(copy.get_strings("words")[1], "a word longer than any buffer inside");
}

}  // namespace
}  // namespace linnet
