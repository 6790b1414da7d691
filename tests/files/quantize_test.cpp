// Conversion of a file's weights, compared with the formats' own encode and decode.
#include "files/quantize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "base/error.h"
#include "files/gguf.h"
#include "files/gguf_bytes.h"
#include "files/gguf_writer.h"
#include "files/temporary_folder.h"

namespace linnet {
namespace {

[[nodiscard]] std::vector<float> wave(size_t size, float frequency) {
  std::vector<float> values(size);
  for (size_t i = 0; i < size; ++i) values[i] = std::sin(static_cast<float>(i) * frequency) * 3.0f;
  return values;
}

[[nodiscard]] std::vector<std::byte> encoded(Format format, std::span<const float> values) {
  std::vector<std::byte> bytes(bytes_of(format, values.size()));
  encode(format, values, bytes);
  return bytes;
}

// Rows × columns, so that one tensor takes more than one chunk of conversion (2^20 elements).
constexpr uint64_t kLargeRows = 1030, kLargeColumns = 1056;

struct Source {
  std::vector<float> large = wave(kLargeRows * kLargeColumns, 0.37f);
  std::vector<float> odd = wave(3 * 33, 0.11f);
  std::vector<float> vector = wave(64, 0.7f);
};

void write_source(const std::filesystem::path& path, const Source& source) {
  Metadata metadata;
  metadata.set("general.architecture", std::string("llama"));
  metadata.set("general.file_type", uint32_t{0});
  metadata.set("tokens", MetadataArray(StringArray(std::vector<std::string>{"a", "b"})));
  GgufWriter writer(path, metadata,
                    {{"large", {kLargeRows, kLargeColumns}, Format::f32},
                     {"odd", {3, 33}, Format::f16},
                     {"vector", {64}, Format::f16},
                     {"table", {2, 32}, Format::i32}});
  writer.write(encoded(Format::f32, source.large));
  writer.write(encoded(Format::f16, source.odd));
  writer.write(encoded(Format::f16, source.vector));
  writer.write(encoded(Format::i32, std::vector<float>(64, 5.0f)));
  writer.finish();
}

[[nodiscard]] bool holds(const TensorFile& file, const char* name, const std::vector<std::byte>& expected) {
  const auto bytes = file.bytes(file.get(name));
  return std::equal(bytes.begin(), bytes.end(), expected.begin(), expected.end());
}

QuantizeProgress quantize_gguf(const std::filesystem::path& input, const std::filesystem::path& output,
                               const QuantizeOptions& options) {
  const TensorFile file = open_gguf(input);
  return quantize(file, same_contents(file), output, options);
}

class QuantizeTo : public testing::TestWithParam<std::pair<Format, uint32_t>> {};

TEST_P(QuantizeTo, ConvertsMatricesExactlyAsTheFormatsDo) {
  const auto [target, file_type] = GetParam();
  const test::TemporaryFolder folder;
  const Source source;
  write_source(folder / "in.gguf", source);
  const QuantizeProgress done =
      quantize_gguf(folder / "in.gguf", folder / "out.gguf", {.target = target, .progress = {}});

  const TensorFile file = open_gguf(folder / "out.gguf");
  EXPECT_EQ(file.metadata().get_u32("general.file_type"), file_type);
  EXPECT_EQ(file.metadata().get_strings("tokens")[1], "b");
  EXPECT_EQ(file.get("large").format, target);
  EXPECT_TRUE(holds(file, "large", encoded(target, source.large)));
  // 33 columns fill no block of 32: kept as it was where the target has blocks.
  const Format odd_format = target == Format::q8_0 ? Format::f16 : target;
  std::vector<float> odd(source.odd.size());
  decode(Format::f16, encoded(Format::f16, source.odd), odd);
  EXPECT_EQ(file.get("odd").format, odd_format);
  EXPECT_TRUE(holds(file, "odd", encoded(odd_format, odd)));
  std::vector<float> vector(source.vector.size());
  decode(Format::f16, encoded(Format::f16, source.vector), vector);
  EXPECT_EQ(file.get("vector").format, Format::f32);
  EXPECT_TRUE(holds(file, "vector", encoded(Format::f32, vector)));
  EXPECT_EQ(file.get("table").format, Format::i32);

  size_t written = 0;
  for (const TensorInfo& tensor : file.tensors()) written += tensor.bytes;
  EXPECT_EQ(done.bytes_written, written);
  EXPECT_EQ(done.tensors_done, 4u);
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, QuantizeTo,
                         testing::Values(std::pair(Format::f32, 0u), std::pair(Format::f16, 1u),
                                         std::pair(Format::q8_0, 7u), std::pair(Format::bf16, 32u)));

TEST(Quantize, ReportsEachTensorInOrder) {
  const test::TemporaryFolder folder;
  write_source(folder / "in.gguf", {});
  std::vector<std::string> names;
  QuantizeOptions options;
  options.progress = [&](const QuantizeProgress& progress) {
    names.emplace_back(progress.tensor);
    EXPECT_EQ(progress.tensors_done, names.size());
    EXPECT_EQ(progress.tensors_total, 4u);
  };
  (void)quantize_gguf(folder / "in.gguf", folder / "out.gguf", options);
  EXPECT_EQ(names, (std::vector<std::string>{"large", "odd", "vector", "table"}));
}

template <class Call>
void expect_error(Call call, ErrorKind kind, std::string_view fragment) {
  try {
    call();
    FAIL() << "no error; expected: " << fragment;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    EXPECT_NE(std::string_view(error.what()).find(fragment), std::string_view::npos) << error.what();
  }
}

TEST(Quantize, RefusesToWriteOverItsInputUnderAnyName) {
  const test::TemporaryFolder folder;
  write_source(folder / "in.gguf", {});
  std::filesystem::create_hard_link(folder / "in.gguf", folder / "link.gguf");
  for (const char* output : {"in.gguf", "./in.gguf", "link.gguf"}) {
    expect_error([&] { (void)quantize_gguf(folder / "in.gguf", folder / output, {}); }, ErrorKind::usage,
                 "is the input itself");
  }
}

TEST(Quantize, RefusesFormatsThatAreNoWeightFormats) {
  const test::TemporaryFolder folder;
  write_source(folder / "in.gguf", {});
  QuantizeOptions options;
  options.target = Format::q8_a;
  expect_error([&] { (void)quantize_gguf(folder / "in.gguf", folder / "out.gguf", options); },
               ErrorKind::usage, "is no target");
}

TEST(Quantize, RefusesASourceItCannotReadAndLeavesNoOutput) {
  const test::TemporaryFolder folder;
  test::GgufBytes file;
  file.header(1, 0).tensor("w", {256, 2}, 12, 0).pad().zeros(288);
  std::ofstream(folder / "in.gguf", std::ios::binary)
      .write(reinterpret_cast<const char*>(file.bytes().data()), static_cast<std::streamsize>(file.size()));
  expect_error([&] { (void)quantize_gguf(folder / "in.gguf", folder / "out.gguf", {}); }, ErrorKind::model,
               "tensor 'w' has format Q4_K");
  EXPECT_EQ(folder.files(), 1u);
}

}  // namespace
}  // namespace linnet
