// linnet tokenize: what a model's tokenizer makes of a text.
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/quoted.h"
#include "flags.h"
#include "hub_model.h"
#include "json_text.h"
#include "output.h"
#include "text/tokenizer.h"
#include "verbs.h"

namespace linnet::cli {
namespace {

constexpr const char* kTokenizeExamples = R"(Examples:
  linnet tokenize -m model.gguf "some text"
  linnet tokenize -m org/repo --json --no-special - < file.txt

The model is a GGUF file, a Hugging Face folder or the name of a model that was pulled; only its tokenizer is read. One line
per token: its id and its piece of the text. Tokens are put around the text and it is cut to a length where the model's files
say so. A special token written out in the text is that token where the model is a Hugging Face folder, as in its own library;
where it is a GGUF file it is only text.)";

struct TokenizeFlags {
  ModelFlags model;
  std::optional<std::string> text;
  bool no_special = false;
  bool json = false;
};

// A piece may be part of a character.
std::string json_string(std::string_view piece) {
  return json_line(piece);
}

// The pieces of a model as they are written, each made when it is first needed: a long text has many tokens,
// but few different ones.
class WrittenPieces {
 public:
  WrittenPieces(const Tokenizer& tokenizer, std::string (*write)(std::string_view))
      : tokenizer_(tokenizer), write_(write), written_(tokenizer.size()) {}
  const std::string& operator[](Token token) {
    std::string& text = written_[static_cast<size_t>(token)];
    if (text.empty()) text = write_(tokenizer_.piece(token));
    return text;
  }

 private:
  const Tokenizer& tokenizer_;
  std::string (*write_)(std::string_view);
  std::vector<std::string> written_;
};

std::string to_json(const Tokenizer& tokenizer, const std::vector<Token>& ids) {
  WrittenPieces pieces(tokenizer, json_string);
  std::string json = "{\"ids\": [";
  for (size_t i = 0; i < ids.size(); ++i) json.append(i == 0 ? "" : ", ").append(std::to_string(ids[i]));
  json += "], \"pieces\": [";
  for (size_t i = 0; i < ids.size(); ++i) json.append(i == 0 ? "" : ", ").append(pieces[ids[i]]);
  return json + "]}\n";
}

std::string to_lines(const Tokenizer& tokenizer, const std::vector<Token>& ids) {
  WrittenPieces pieces(tokenizer, quoted_exactly);
  std::string lines;
  for (const Token id : ids) lines.append(std::to_string(id)).append("\t").append(pieces[id]).append("\n");
  return lines;
}

int tokenize(const TokenizeFlags& flags) {
  const std::unique_ptr<Tokenizer> tokenizer = open_tokenizer(local_model(flags.model.model));
  const std::vector<Token> ids =
      tokenizer->encode(text_or_stdin(flags.text, "text"),
                        {.add_special = !flags.no_special, .parse_special = tokenizer->parses_special()});
  print(flags.json ? to_json(*tokenizer, ids) : to_lines(*tokenizer, ids));
  return 0;
}

}  // namespace

void add_tokenize(CLI::App& program, Action& action) {
  CLI::App& verb = *program.add_subcommand("tokenize", "show the tokens of a text");
  TokenizeFlags& flags = add_verb<TokenizeFlags>(verb, action, tokenize);
  verb.footer(kTokenizeExamples);
  verb.add_option("TEXT", flags.text,
                  "the text; '-': stdin as it is; nothing: stdin without its last newline")
      ->type_name("");
  flags.model.add_model_to(verb);
  verb.add_flag("--no-special", flags.no_special,
                "leave out the tokens that the model wants before and after a text");
  verb.add_flag("--json", flags.json, "print {\"ids\": […], \"pieces\": […]}");
}

}  // namespace linnet::cli
