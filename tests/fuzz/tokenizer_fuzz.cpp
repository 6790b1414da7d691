// Any text through a small SentencePiece vocabulary: nothing is lost on the way to tokens and back, however
// the stream is cut, and the number of steps stays linear. The first byte of the input chooses the options.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "target.h"
#include "text/detokenizer.h"
#include "text/sentencepiece_bpe.h"
#include "text/small_vocabulary.h"
#include "text/stop_strings.h"

namespace linnet {
namespace {

[[nodiscard]] const SentencePieceBpe& tokenizer(bool add_space_prefix) {
  const auto make = [](bool prefix) {
    Metadata metadata = test::english_vocabulary().metadata();
    metadata.set("tokenizer.ggml.add_space_prefix", prefix);
    return SentencePieceBpe(metadata);
  };
  static const SentencePieceBpe with = make(true);
  static const SentencePieceBpe without = make(false);
  return add_space_prefix ? with : without;
}

// Without the added space, pieces are exactly the bytes of the text.
void check_bytes(std::string_view text, bool parse_special) {
  const SentencePieceBpe& bpe = tokenizer(false);
  std::string bytes;
  for (const Token token : bpe.encode(text, {.add_special = false, .parse_special = parse_special})) {
    bytes += bpe.piece(token);
  }
  // The escaped space in the input comes back as a space: ▁ and space are one to SentencePiece.
  std::string expected;
  constexpr std::string_view kEscapedSpace = "\xE2\x96\x81";
  while (!text.empty()) {
    const bool escaped = text.starts_with(kEscapedSpace);
    expected += escaped ? ' ' : text[0];
    text.remove_prefix(escaped ? kEscapedSpace.size() : 1);
  }
  FUZZ_CHECK(bytes == expected);
}

void check_stream(const SentencePieceBpe& bpe, const std::vector<Token>& tokens,
                  const DetokenizeOptions& options) {
  Detokenizer detokenizer(bpe, options);
  StopStrings stops({"he", "hello", "\n"});
  std::string streamed;
  std::string until_stop;
  bool stopped = false;
  for (const Token token : tokens) {
    const std::string piece = detokenizer.push(token);
    FUZZ_CHECK(is_utf8(piece));
    streamed += piece;
    const StopStrings::Result result = stops.push(piece);
    until_stop += result.text;
    stopped = result.stopped;
  }
  const std::string rest = detokenizer.finish();
  streamed += rest;
  until_stop += stops.push(rest).text;
  const StopStrings::Result result = stops.finish();
  until_stop += result.text;
  stopped = result.stopped;
  FUZZ_CHECK(streamed == detokenize(bpe, tokens, options));
  const size_t first = std::min(streamed.find("he"), streamed.find('\n'));
  FUZZ_CHECK(stopped == (first != std::string::npos));
  FUZZ_CHECK(until_stop == streamed.substr(0, first));
}

}  // namespace
}  // namespace linnet

void linnet::fuzz::check_input(std::string_view input) {
  if (input.empty()) return;
  const unsigned choice = static_cast<unsigned char>(input[0]);
  const std::string_view text = input.substr(1);
  const SentencePieceBpe& bpe = tokenizer((choice & 1) != 0);
  const EncodeOptions options{.add_special = (choice & 2) != 0, .parse_special = (choice & 4) != 0};
  EncodeWork work;
  const std::vector<Token> tokens = bpe.encode(text, options, work);
  // Escaping adds no symbols; each fragment between special tokens may add one space.
  FUZZ_CHECK(work.lookups <= 6 * (text.size() + 1));
  for (const Token token : tokens) FUZZ_CHECK(bpe.vocabulary().contains(token));
  check_stream(bpe, tokens, {.continues_text = (choice & 8) != 0, .show_control = (choice & 16) != 0});
  check_bytes(text, options.parse_special);
}
