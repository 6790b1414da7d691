// Any bytes as a GGUF file: read or refused with Error(model), nothing else; what was read keeps the reader's
// promises, and so does the tokenizer made from it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/utf8.h"
#include "files/gguf.h"
#include "files/gguf_split.h"
#include "files/gguf_writer.h"
#include "target.h"
#include "text/detokenizer.h"

namespace linnet {
namespace {

void check_tensors(const GgufContents& contents, size_t file_size) {
  std::vector<std::pair<size_t, size_t>> ranges;
  for (const TensorInfo& tensor : contents.tensors) {
    FUZZ_CHECK(tensor.offset >= contents.data_offset);
    FUZZ_CHECK(tensor.offset <= file_size && tensor.bytes <= file_size - tensor.offset);
    FUZZ_CHECK(tensor.offset % contents.alignment == 0);
    FUZZ_CHECK(tensor.bytes > 0);
    if (tensor.format) FUZZ_CHECK(bytes_of(*tensor.format, tensor.elements) == tensor.bytes);
    ranges.emplace_back(tensor.offset, tensor.offset + tensor.bytes);
  }
  std::sort(ranges.begin(), ranges.end());
  for (size_t i = 1; i < ranges.size(); ++i) FUZZ_CHECK(ranges[i - 1].second <= ranges[i].first);
}

// What is written from what was read is read again as the same.
void check_round_trip(const Metadata& metadata) {
  const std::vector<std::byte> written = encode_gguf_header(metadata, {});
  const GgufContents again = parse_gguf(written);
  FUZZ_CHECK(again.metadata.entries().size() == metadata.entries().size());
  for (size_t i = 0; i < metadata.entries().size(); ++i) {
    FUZZ_CHECK(again.metadata.entries()[i].first == metadata.entries()[i].first);
    FUZZ_CHECK(type_name(again.metadata.entries()[i].second) == type_name(metadata.entries()[i].second));
  }
  FUZZ_CHECK(encode_gguf_header(again.metadata, {}) == written);
}

// Getters of every type on every key: a value or Error(model).
void check_getters(const Metadata& metadata) {
  using fuzz::attempt;
  for (const auto& [key, value] : metadata.entries()) {
    attempt([&] { (void)metadata.get_u32(key); });
    attempt([&] { (void)metadata.get_i64(key); });
    attempt([&] { (void)metadata.get_f32(key); });
    attempt([&] { (void)metadata.get_bool(key); });
    attempt([&] { (void)metadata.get_string(key); });
    attempt([&] { (void)metadata.get_strings(key); });
    attempt([&] { (void)metadata.get_floats(key); });
    attempt([&] { (void)metadata.get_integers(key); });
  }
}

// What says that it is a part: put together with itself as often as it says, it is refused, or its one part
// is all there is.
void check_split(std::span<const std::byte> file, const Metadata& metadata) {
  const auto split = gguf_split(metadata);
  if (!split) return;
  FUZZ_CHECK(split->number < split->count && split->count > 1);
  std::vector<GgufContents> parts;
  for (uint32_t i = 0; i < std::min(split->count, 3u); ++i) parts.push_back(parse_gguf(file));
  const GgufContents joined = join_gguf_parts(std::move(parts));
  FUZZ_CHECK(joined.tensors.size() == split->tensors);
}

void check_tokenizer(const Metadata& metadata) {
  const auto tokenizer = make_tokenizer(metadata);
  const EncodeOptions parse{.add_special = true, .parse_special = true};
  const std::vector<Token> tokens = tokenizer->encode("<s> the ä\xF0\x9F\xA6\x99\xFF  aaaa", parse);
  for (const Token token : tokens) FUZZ_CHECK(tokenizer->vocabulary().contains(token));
  for (const Token token : tokenizer->end_of_generation())
    FUZZ_CHECK(tokenizer->vocabulary().contains(token));
  FUZZ_CHECK(is_utf8(detokenize(*tokenizer, tokens, {.continues_text = false, .show_control = true})));
}

}  // namespace
}  // namespace linnet

void linnet::fuzz::check_input(std::string_view input) {
  const std::span file(reinterpret_cast<const std::byte*>(input.data()), input.size());
  attempt([&] {
    const GgufContents contents = parse_gguf(file);
    check_tensors(contents, file.size());
    check_getters(contents.metadata);
    check_round_trip(contents.metadata);
    attempt([&] { check_split(file, contents.metadata); });
    attempt([&] { check_tokenizer(contents.metadata); });
  });
}
