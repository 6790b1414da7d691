#include "files/safetensors.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"
#include "files/allocation_meter.h"
#include "files/safetensors_bytes.h"
#include "files/temporary_folder.h"

namespace linnet {
namespace {

using test::safetensors_bytes;
using test::write_bytes;

// A vector, a matrix of halves and a scalar, listed in another order than they lie.
constexpr std::string_view kHeader =
    R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F16","shape":[2,3],"data_offsets":[8,20]},)"
    R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"c":{"dtype":"I64","shape":[],"data_offsets":[20,28]}}   )";
const std::string kData(28, 'x');

// The bytes are copied to a block of exactly their size, so that the address sanitizer sees a read beyond.
SafetensorsContents parse(std::string_view bytes) {
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  const std::vector<std::byte> exact(begin, begin + bytes.size());
  return parse_safetensors(exact);
}

template <class Call>
void expect_refused(Call call, std::string_view fragment) {
  try {
    (void)call();
    FAIL() << "accepted; expected: " << fragment;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_NE(std::string_view(error.what()).find(fragment), std::string_view::npos)
        << error.what() << "\nexpected: " << fragment;
  }
}

void expect_header_refused(std::string_view header, std::string_view fragment, size_t data = 28) {
  expect_refused([&] { return parse(safetensors_bytes(header, std::string(data, 'x'))); }, fragment);
}

TEST(Safetensors, ListsTensorsAsTheyLie) {
  const SafetensorsContents contents = parse(safetensors_bytes(kHeader, kData));
  EXPECT_EQ(contents.metadata.get_string("format"), "pt");
  EXPECT_EQ(contents.data_offset, 8 + kHeader.size());
  ASSERT_EQ(contents.tensors.size(), 3u);
  const TensorInfo& a = contents.tensors[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.format, Format::f32);
  EXPECT_EQ(a.offset, contents.data_offset);
  const TensorInfo& b = contents.tensors[1];
  EXPECT_EQ(b.shape, (std::vector<uint64_t>{2, 3}));
  EXPECT_EQ(b.stored_format, "F16");
  EXPECT_EQ(b.elements, 6u);
  EXPECT_EQ(b.bytes, 12u);
  const TensorInfo& c = contents.tensors[2];
  EXPECT_FALSE(c.format) << "listed, not read";
  EXPECT_TRUE(c.shape.empty());
  EXPECT_EQ(c.bytes, 8u);
}

TEST(Safetensors, KnowsTheSizeOfEveryType) {
  for (const auto& [type, bytes] : std::vector<std::pair<std::string, size_t>>{{"F64", 32},
                                                                               {"F32", 16},
                                                                               {"BF16", 8},
                                                                               {"F16", 8},
                                                                               {"I64", 32},
                                                                               {"U32", 16},
                                                                               {"I16", 8},
                                                                               {"U8", 4},
                                                                               {"BOOL", 4},
                                                                               {"F8_E4M3", 4},
                                                                               {"F8_E5M2", 4},
                                                                               {"F8_E8M0", 4},
                                                                               {"F6_E2M3", 3},
                                                                               {"F4", 2},
                                                                               {"C64", 32}}) {
    const std::string header =
        R"({"t":{"dtype":")" + type + R"(","shape":[4],"data_offsets":[0,)" + std::to_string(bytes) + "]}}";
    EXPECT_EQ(parse(safetensors_bytes(header, std::string(bytes, '\0'))).tensors[0].bytes, bytes) << type;
  }
}

TEST(Safetensors, TruncatedAtEveryByteItIsRefused) {
  const std::string whole = safetensors_bytes(kHeader, kData);
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW((void)parse(std::string_view(whole).substr(0, size)), Error) << size;
  EXPECT_THROW((void)parse(whole + "x"), Error) << "a byte more than the tensors have";
}

TEST(Safetensors, RefusesLengthsThatLie) {
  const std::string header(kHeader);
  expect_refused([&] { return parse(safetensors_bytes(header, kData, UINT64_MAX - 1)); },
                 "at most 100000000");
  expect_refused([&] { return parse(safetensors_bytes(header, kData, 100'000'001)); }, "at most 100000000");
  expect_refused([&] { return parse(safetensors_bytes(header, kData, header.size() + 29)); },
                 "bytes are left");
  expect_refused([&] { return parse(safetensors_bytes(header, kData, header.size() - 9)); }, "no JSON");
  expect_refused([&] { return parse(safetensors_bytes("", "")); }, "does not begin with '{'");
  expect_refused([&] { return parse(safetensors_bytes("[]", "")); }, "does not begin with '{'");
}

TEST(Safetensors, RefusesOffsetsThatDoNotFit) {
  const auto one = [](std::string_view shape, std::string_view offsets, std::string_view type = "F32") {
    return std::string(R"({"t":{"dtype":")") + std::string(type) + R"(","shape":)" + std::string(shape) +
           R"(,"data_offsets":)" + std::string(offsets) + "}}";
  };
  expect_header_refused(one("[2]", "[0,4]"), "takes 64 bits");
  expect_header_refused(one("[2]", "[8,0]"), "data_offsets are 8 and 0");
  expect_header_refused(one("[4294967296,4294967296]", "[0,0]"), "does not fit in 64 bits");
  expect_header_refused(one("[4294967296,1073741824]", "[0,0]"), "does not fit in 64 bits");
  expect_header_refused(one("[3]", "[0,2]", "F4"), "takes 12 bits");
  expect_header_refused(one("[2]", "[8,16]"), "there is a hole");
  expect_header_refused(one("[1000]", "[0,4000]"), "has 28 bytes of data");
  expect_header_refused(one("[2]", "[0,8]"), "its tensors only 8");
  expect_header_refused(one("[2]", "[18446744073709551608,18446744073709551616]"), "unexpected");
  expect_header_refused(
      R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},"b":{"dtype":"F32","shape":[4],"data_offsets":[12,28]}})",
      "they overlap");
}

TEST(Safetensors, RefusesHeadersThatAreNone) {
  const std::string entry = R"({"dtype":"F32","shape":[7],"data_offsets":[0,28]})";
  expect_header_refused("{", "no JSON at byte");
  expect_header_refused("{} {}", "no JSON");
  expect_header_refused("{\"\xFF\":1}", "no JSON");
  expect_header_refused(R"({"t":)" + entry + R"(,"t":)" + entry + "}", "'t' appears twice");
  expect_header_refused(R"({"t":1})", "expected an object, got 1");
  expect_header_refused(R"({"t":[]})", "expected an object, got an array");
  expect_header_refused(R"({"t":{}})", "must have dtype, shape and data_offsets");
  expect_header_refused(R"({"t":{"dtype":"F32","dtype":"F16"}})", "'dtype' twice");
  expect_header_refused(R"({"t":{"type":"F32"}})", "unknown member 'type'");
  expect_header_refused(R"({"t":{"dtype":"Q4_K","shape":[7],"data_offsets":[0,28]}})",
                        "unknown dtype 'Q4_K'");
  expect_header_refused(R"({"t":{"dtype":{}}})", "unexpected an object");
  expect_header_refused(R"({"t":{"shape":[[7]]}})", "unexpected an array");
  expect_header_refused(R"({"t":{"shape":[-7]}})", "unexpected -7");
  expect_header_refused(R"({"t":{"shape":[1.5]}})", "unexpected '1.5'");
  expect_header_refused(R"({"t":{"shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}})", "more than 16 dimensions");
  expect_header_refused(R"({"t":{"data_offsets":[0]}})", "two data_offsets");
  expect_header_refused(R"({"t":{"data_offsets":[0,1,2]}})", "two data_offsets");
  expect_header_refused(R"({"__metadata__":{"a":1}})", "expected a string, got 1");
  expect_header_refused(R"({"__metadata__":{"a":"","a":""}})", "twice");
  expect_header_refused(std::string(100'000, '[').replace(0, 5, "{\"a\":"), "got an array");
}

TEST(Safetensors, AllocatesNoMoreThanAFewTimesTheHeader) {
  // A hostile header of nothing but the shortest entries.
  std::string header = R"({"__metadata__":{)";
  for (int i = 0; i < 20000; ++i) header += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":\"\"";
  header += "}}";
  const std::string bytes = safetensors_bytes(header, "");
  const size_t before = test::allocated_bytes();
  EXPECT_EQ(parse_safetensors(std::as_bytes(std::span(bytes))).metadata.entries().size(), 20000u);
  EXPECT_LT(test::allocated_bytes() - before, 40 * header.size());
}

TEST(SafetensorsIndex, RefusesNamesThatLeadElsewhere) {
  for (const char* name :
       {"../a.safetensors", "/etc/a.safetensors", "a/b.safetensors", "..", "a", "", ".safetensors",
        "a\\\\b.safetensors", "a\\u0000.safetensors", "\\u001b[31m.safetensors"}) {
    const std::string text = std::string(R"({"weight_map":{"t":")") + name + "\"}}";
    expect_refused([&] { return parse_safetensors_index(text, "index"); },
                   "is no name of a safetensors file");
  }
  expect_refused([] { return parse_safetensors_index("{}", "index"); },
                 "index: weight_map: expected an object");
  expect_refused([] { return parse_safetensors_index(R"({"weight_map":{}})", "index"); }, "names no tensors");
  expect_refused([] { return parse_safetensors_index(R"({"weight_map":{"t":1}})", "index"); },
                 "expected a string");
}

std::string one_tensor(const char* name) {
  return safetensors_bytes(
      std::string("{\"") + name + R"(":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
      std::string_view("\0\0\x80\x3F", 4));
}

class Sharded : public ::testing::Test {
 protected:
  void SetUp() override {
    write_bytes(
        index, R"({"metadata":{"total_size":8},"weight_map":{"a":"m-1.safetensors","b":"m-2.safetensors"}})");
    write_bytes(folder / "m-1.safetensors", one_tensor("a"));
    write_bytes(folder / "m-2.safetensors", one_tensor("b"));
  }
  test::TemporaryFolder folder;
  std::filesystem::path index = folder / "model.safetensors.index.json";
};

TEST_F(Sharded, OpensAllFilesAsOne) {
  const TensorFile file = open_safetensors_index(index);
  EXPECT_EQ(file.files().size(), 2u);
  EXPECT_EQ(file.get("b").file, 1u);
  float value = 0;
  file.read(file.get("b"), 0, std::as_writable_bytes(std::span(&value, 1)));
  EXPECT_EQ(value, 1.0f);
}

TEST_F(Sharded, NamesTheFilesThatAreMissing) {
  std::filesystem::remove(folder / "m-2.safetensors");
  expect_refused([&] { return open_safetensors_index(index); }, "missing beside it: 'm-2.safetensors'");
}

TEST_F(Sharded, RefusesFilesThatAreNotAsTheIndexSays) {
  write_bytes(folder / "m-2.safetensors", one_tensor("c"));
  expect_refused([&] { return open_safetensors_index(index); }, "tensor 'b' is not in m-2.safetensors");
  write_bytes(folder / "m-2.safetensors", one_tensor("a"));
  expect_refused([&] { return open_safetensors_index(index); }, "tensor 'a' is in both");
  write_bytes(folder / "m-2.safetensors", "short");
  expect_refused([&] { return open_safetensors_index(index); },
                 "m-2.safetensors': safetensors: the file has 5");
}

}  // namespace
}  // namespace linnet
