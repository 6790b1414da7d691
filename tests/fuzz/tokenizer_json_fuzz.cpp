// Any bytes as tokenizer.json: refused with Error(model), or a tokenizer that keeps its promises on a few
// texts.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/utf8.h"
#include "target.h"
#include "text/detokenizer.h"
#include "text/tokenizer_json.h"

namespace linnet {
namespace {

constexpr std::string_view kTexts[] = {
    "",
    " ",
    "The river rose; it's 1998!\n\n  x",
    "<s> a<tool>b</s>[MASK]",
    "\u00C9e\u0301 \uFB01 \u4E2D \U0001F642 \u200B",
    "\xFF\xC3 \xE2\x96\x81 a\x00b",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};

void check(const Tokenizer& tokenizer, std::string_view text) {
  for (const bool parse_special : {false, true}) {
    const std::vector<Token> tokens =
        tokenizer.encode(text, {.add_special = true, .parse_special = parse_special});
    for (const Token token : tokens) FUZZ_CHECK(tokenizer.vocabulary().contains(token));
    FUZZ_CHECK(is_utf8(detokenize(tokenizer, tokens, {.continues_text = false, .show_control = true})));
  }
}

}  // namespace
}  // namespace linnet

void linnet::fuzz::check_input(std::string_view input) {
  attempt([&] {
    const JsonFile file(input, "tokenizer.json");
    const auto tokenizer = make_tokenizer_from_json(file);
    for (const Token token : tokenizer->end_of_generation())
      FUZZ_CHECK(tokenizer->vocabulary().contains(token));
    // A pattern may turn out too expensive, or a word to have no token, only on a text.
    for (const std::string_view text : kTexts) check(*tokenizer, text);
  });
}
