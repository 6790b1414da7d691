#include "files/model_files.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "files/gguf_bytes.h"
#include "files/safetensors_bytes.h"
#include "files/temporary_folder.h"

namespace linnet {
namespace {

using test::write_bytes;

const std::string kWeights =
    test::safetensors_bytes(R"({"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "xxxx");

void write_gguf(const std::filesystem::path& path) {
  const test::GgufBytes file = test::small_file();
  write_bytes(path, {reinterpret_cast<const char*>(file.bytes().data()), file.size()});
}

void expect_refused(const std::filesystem::path& path, std::string_view fragment) {
  try {
    (void)open_model(path);
    FAIL() << "accepted; expected: " << fragment;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_NE(std::string_view(error.what()).find(fragment), std::string_view::npos) << error.what();
  }
}

TEST(OpenModel, TakesAGgufFileWhateverItsName) {
  const test::TemporaryFolder folder;
  write_gguf(folder / "blob");
  const ModelFiles model = open_model(folder / "blob");
  EXPECT_FALSE(model.folder);
  EXPECT_NE(model.tensors.find("matrix"), nullptr);
}

TEST(OpenModel, TakesSafetensorsWithTheirFolder) {
  const test::TemporaryFolder folder;
  for (const char* name : {"other.safetensors", "blob", "model.safetensors"}) {
    write_bytes(folder / name, kWeights);
    const ModelFiles model = open_model(folder / name);
    ASSERT_TRUE(model.folder) << name;
    EXPECT_TRUE(std::filesystem::equivalent(*model.folder, folder / "")) << name;
    EXPECT_NE(model.tensors.find("t"), nullptr);
  }
  EXPECT_EQ(open_model(folder / "").tensors.path().filename(), "model.safetensors");
  std::filesystem::remove(folder / "model.safetensors");
  EXPECT_EQ(open_model(folder / "").tensors.path().filename(), "other.safetensors") << "the only one";
}

TEST(OpenModel, TakesAnIndexByItselfItsFolderOrAnyPart) {
  const test::TemporaryFolder folder;
  const std::string index =
      R"({"weight_map":{"a":"m-00001-of-00002.safetensors","t":"m-00002-of-00002.safetensors"}})";
  write_bytes(folder / "m-00001-of-00002.safetensors",
              test::safetensors_bytes(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "x"));
  write_bytes(folder / "m-00002-of-00002.safetensors", kWeights);
  expect_refused(folder / "", "several safetensors files but no model.safetensors.index.json");
  expect_refused(folder / "m-00001-of-00002.safetensors",
                 "their index 'm.safetensors.index.json' is missing");
  write_bytes(folder / "m.safetensors.index.json", index);
  write_bytes(folder / "model.safetensors.index.json", index);
  for (const char* name : {"", "model.safetensors.index.json", "m-00001-of-00002.safetensors"}) {
    const ModelFiles model = open_model(folder / name);
    EXPECT_EQ(model.tensors.tensors().size(), 2u) << name;
    EXPECT_TRUE(model.folder);
  }
}

TEST(OpenModel, TakesAFolderWithOneGgufModel) {
  const test::TemporaryFolder folder;
  expect_refused(folder / "", "has no weights");
  write_gguf(folder / "model.gguf");
  write_gguf(folder / "mmproj-model.gguf");
  EXPECT_FALSE(open_model(folder / "").folder);
  write_gguf(folder / "another.gguf");
  expect_refused(folder / "", "has several models; name one of 'another.gguf', 'model.gguf'");
  write_bytes(folder / "model.safetensors", kWeights);
  EXPECT_TRUE(open_model(folder / "").folder) << "safetensors come first";
}

TEST(OpenModel, SaysWhatIsWrong) {
  const test::TemporaryFolder folder;
  expect_refused(folder / "none", "cannot open");
  write_bytes(folder / "text", "hello");
  expect_refused(folder / "text", "this is not a GGUF file");
  write_bytes(folder / "empty.safetensors", "");
  expect_refused(folder / "empty.safetensors", "safetensors: the file has 0 bytes");
}

}  // namespace
}  // namespace linnet
