// Makes the seeds of the fuzz targets with the project's own writer: make_fuzz_corpus FOLDER. Findings are
// added to the corpora by hand and not touched here.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "files/gguf_writer.h"
#include "text/small_vocabulary.h"

namespace linnet {
namespace {

void save(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

[[nodiscard]] Metadata every_type() {
  Metadata metadata;
  metadata.set("u8", uint8_t{1});
  metadata.set("i8", int8_t{-1});
  metadata.set("u16", uint16_t{2});
  metadata.set("i16", int16_t{-2});
  metadata.set("u32", uint32_t{3});
  metadata.set("i32", int32_t{-3});
  metadata.set("f32", 0.5f);
  metadata.set("bool", true);
  metadata.set("string", std::string("text"));
  metadata.set("u64", uint64_t{4});
  metadata.set("i64", int64_t{-4});
  metadata.set("f64", 0.25);
  metadata.set("strings", MetadataArray(StringArray(std::vector<std::string>{"", "a"})));
  metadata.set("bools", MetadataArray(std::vector<bool>{true, false}));
  metadata.set("f32s", MetadataArray(std::vector<float>{1, 2}));
  return metadata;
}

// Without byte tokens: small enough for the fuzzer to change any part of it.
[[nodiscard]] Metadata tiny_tokenizer() {
  Metadata metadata;
  metadata.set("tokenizer.ggml.model", std::string("llama"));
  metadata.set("tokenizer.ggml.tokens", MetadataArray(StringArray(std::vector<std::string>{
                                            "<unk>", "<s>", "<0x61>", "▁", "a", "aa", "<tool>"})));
  metadata.set("tokenizer.ggml.scores", MetadataArray(std::vector<float>{0, 0, 0, -1, -2, -3, 0}));
  metadata.set("tokenizer.ggml.token_type", MetadataArray(std::vector<int32_t>{2, 3, 6, 1, 1, 1, 4}));
  metadata.set("tokenizer.ggml.eos_token_id", uint32_t{1});
  return metadata;
}

[[nodiscard]] std::vector<std::byte> with_tensors() {
  Metadata metadata;
  metadata.set("general.alignment", uint32_t{64});
  const std::vector<GgufTensor> tensors = {
      {"norm", {4}, Format::f32}, {"matrix", {2, 32}, Format::q8_0}, {"half", {2, 2, 2}, Format::f16}};
  std::vector<std::byte> bytes = encode_gguf_header(metadata, tensors);
  bytes.resize(bytes.size() + 64 + 128 + 16);
  return bytes;
}

void make_gguf(const std::filesystem::path& folder) {
  save(folder / "empty", encode_gguf_header({}, {}));
  save(folder / "every_type", encode_gguf_header(every_type(), {}));
  save(folder / "tiny_tokenizer", encode_gguf_header(tiny_tokenizer(), {}));
  save(folder / "byte_tokenizer", encode_gguf_header(test::english_vocabulary().metadata(), {}));
  save(folder / "tensors", with_tensors());
}

void make_texts(const std::filesystem::path& folder) {
  const std::vector<std::string> texts = {"\x01hello world", "\x1F<s>the<tool>  a<|end|>",
                                          "\x03ä🦙€\n\xFF\xC3",
                                          "\x05"
                                          "aaaaaaaaa     he",
                                          std::string("\x0Bz\0▁", 6)};
  for (size_t i = 0; i < texts.size(); ++i)
    save(folder / std::to_string(i), std::as_bytes(std::span(texts[i])));
}

}  // namespace
}  // namespace linnet

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: make_fuzz_corpus FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = arguments[1];
  std::filesystem::create_directories(folder / "gguf");
  std::filesystem::create_directories(folder / "tokenizer");
  linnet::make_gguf(folder / "gguf");
  linnet::make_texts(folder / "tokenizer");
  return 0;
}
