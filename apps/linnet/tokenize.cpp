// linnet tokenize: what a model's tokenizer makes of a text.
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "files/gguf.h"
#include "flags.h"
#include "hub_model.h"
#include "output.h"
#include "text/tokenizer.h"
#include "text/utf8.h"
#include "verbs.h"

namespace linnet::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  linnet tokenize -m model.gguf "some text"
  linnet tokenize -m model.gguf --json --no-special < file.txt

One line per token: its id and its piece of the text. Only the header of the file is read.)";

struct Flags {
  ModelFlags model;
  std::string text;
  bool no_special = false;
  bool json = false;
};

std::string to_json(const Tokenizer& tokenizer, const std::vector<Token>& ids) {
  std::vector<std::string> pieces;
  for (const Token id : ids) pieces.push_back(tokenizer.piece(id));
  const nlohmann::ordered_json json = {{"ids", ids}, {"pieces", pieces}};
  // A piece may be part of a character.
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

// The piece in quotes, with bytes that are no text as \xNN.
std::string in_quotes(std::string_view piece) {
  std::string text = "\"";
  while (!piece.empty()) {
    const Utf8Character first = first_character(piece);
    const auto byte = static_cast<unsigned char>(piece.front());
    if (first.state != Utf8State::complete || byte < 0x20 || byte == 0x7F) {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      text += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
      piece.remove_prefix(1);
      continue;
    }
    if (byte == '"' || byte == '\\') text += '\\';
    text += piece.substr(0, first.bytes);
    piece.remove_prefix(first.bytes);
  }
  return text + '"';
}

int tokenize(const Flags& flags) {
  const std::unique_ptr<Tokenizer> tokenizer =
      make_tokenizer(open_gguf(local_model(flags.model.model)).metadata());
  const std::string text = text_or_stdin(flags.text, "text");
  const std::vector<Token> ids = tokenizer->encode(text, {.add_special = !flags.no_special});
  if (flags.json) {
    print(to_json(*tokenizer, ids));
    return 0;
  }
  std::string lines;
  for (const Token id : ids) lines += concat(id, '\t', in_quotes(tokenizer->piece(id)), '\n');
  print(lines);
  return 0;
}

}  // namespace

void add_tokenize(CLI::App& program, Action& action) {
  CLI::App& verb = *program.add_subcommand("tokenize", "show the tokens of a text");
  Flags& flags = add_verb<Flags>(verb, action, tokenize);
  verb.footer(kExamples);
  verb.add_option("TEXT", flags.text, "the text; '-' or nothing: stdin")->type_name("");
  flags.model.add_model_to(verb);
  verb.add_flag("--no-special", flags.no_special,
                "leave out the tokens that the model wants before and after a text");
  verb.add_flag("--json", flags.json, "print {\"ids\": […], \"pieces\": […]}");
}

}  // namespace linnet::cli
