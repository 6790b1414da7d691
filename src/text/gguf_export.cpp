#include "text/gguf_export.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/quoted.h"
#include "text/chat_template.h"
#include "text/folder_settings.h"
#include "text/tokenizer.h"

namespace linnet {
namespace {

using Path = std::filesystem::path;

[[nodiscard]] bool is_byte_level(const JsonNode& pre_tokenizer) {
  if (pre_tokenizer.is_null()) return false;
  const std::string& type = pre_tokenizer["type"].string();
  bool found = type == "ByteLevel";
  if (type == "Sequence") {
    pre_tokenizer["pretokenizers"].for_each_element(
        [&](const JsonNode& step) { found = found || is_byte_level(step); });
  }
  return found;
}

// Every row of the table gets a token with a text of its own: readers want them distinct.
void export_tokens(const JsonNode& root, const JsonVocabulary& vocabulary, size_t rows, Metadata& into) {
  if (vocabulary.texts.size() > rows) {
    root["model"]["vocab"].refuse(concat("the tokenizer has ", vocabulary.texts.size(),
                                         " tokens, but the model's table ", rows, " rows"));
  }
  std::vector<std::string> texts = vocabulary.texts;
  std::vector<int32_t> kinds;
  std::set<std::string_view> distinct;
  texts.resize(rows);
  for (size_t i = 0; i < rows; ++i) {
    const bool is_there = i < vocabulary.texts.size() && vocabulary.parts.kinds[i] != TokenKind::unused;
    kinds.push_back(static_cast<int32_t>(is_there ? vocabulary.parts.kinds[i] : TokenKind::unused));
    if (!is_there) texts[i] = concat("[PAD", i, "]");  // as llama.cpp's converter names them
    if (!distinct.insert(texts[i]).second)
      root["added_tokens"].refuse(concat("two tokens have the text ", quoted_name(texts[i])));
  }
  into.set("tokenizer.ggml.tokens", MetadataArray(StringArray(std::move(texts))));
  into.set("tokenizer.ggml.token_type", MetadataArray(std::move(kinds)));
}

void set_token(Metadata& into, std::string_view name, std::optional<Token> token) {
  if (token) into.set(concat("tokenizer.ggml.", name, "_token_id"), static_cast<uint32_t>(*token));
}

// GGUF knows one token before a text and one after it: BOS and EOS, by whatever name.
void export_around(const JsonNode& root, const Tokenizer& tokenizer, Metadata& into) {
  const EncodeOptions plain{.add_special = false, .parse_special = false, .truncate = false};
  const EncodeOptions special{.add_special = true, .parse_special = false, .truncate = false};
  const std::vector<Token> body = tokenizer.encode("a", plain);
  const std::vector<Token> whole = tokenizer.encode("a", special);
  const auto found = std::search(whole.begin(), whole.end(), body.begin(), body.end());
  const std::vector<Token> before(whole.begin(), found);
  const auto rest = std::min(whole.size() - before.size(), body.size());
  const std::vector<Token> after(found + static_cast<std::ptrdiff_t>(rest), whole.end());
  if (before.size() > 1 || after.size() > 1)
    root["post_processor"].refuse("GGUF has no more than one token before a text and one after it");
  set_token(into, "bos", before.empty() ? tokenizer.bos() : before.front());
  set_token(into, "eos", after.empty() ? tokenizer.eos() : after.front());
  into.set("tokenizer.ggml.add_bos_token", !before.empty());
  into.set("tokenizer.ggml.add_eos_token", !after.empty());
}

// Ends of a generation besides EOS: one has a key, others are known by their text.
void export_ends(const Tokenizer& tokenizer, Metadata& into) {
  const auto eos = into.find_u32("tokenizer.ggml.eos_token_id");
  for (const Token token : tokenizer.end_of_generation()) {
    if (!eos) {
      set_token(into, "eos", token);
      return export_ends(tokenizer, into);
    }
    if (static_cast<uint32_t>(token) == *eos) continue;
    set_token(into, "eot", token);
    return;
  }
}

void export_template(const Path& folder, const JsonNode& config, Metadata& into) {
  if (config["chat_template"].is_null() && !std::filesystem::exists(folder / "chat_template.jinja")) return;
  const ChatTemplate chat = find_chat_template(folder);
  into.set("tokenizer.chat_template", chat.source);
  if (chat.tool_use.empty()) return;
  into.set("tokenizer.chat_templates", MetadataArray(StringArray(std::vector<std::string>{"tool_use"})));
  into.set("tokenizer.chat_template.tool_use", chat.tool_use);
}

void note_flags(const JsonVocabulary& vocabulary, std::vector<std::string>& notes) {
  const auto has_flags = [](const AddedToken& token) {
    return token.lstrip || token.rstrip || token.single_word;
  };
  const auto found = std::find_if(vocabulary.added.begin(), vocabulary.added.end(), has_flags);
  if (found != vocabulary.added.end()) {
    notes.push_back(concat("the token ", quoted_name(found->text),
                           " takes spaces around it or stands alone only; GGUF does not say so"));
  }
}

}  // namespace

std::vector<std::string> export_tokenizer(const Path& folder, size_t rows, Metadata& into) {
  const Path path = folder / "tokenizer.json";
  if (!std::filesystem::exists(path))
    fail(ErrorKind::model, "'", folder.string(), "' has no tokenizer.json to write a GGUF vocabulary from");
  const JsonFile file(path);
  const JsonNode root = file.root();
  const auto tokenizer = make_tokenizer_from_folder(folder);  // refuses what is not understood
  const JsonVocabulary vocabulary = read_vocabulary(root);
  const JsonNode model = root["model"];
  if (!vocabulary.scores.empty() || model["merges"].is_null())
    model.refuse("only BPE can be written to GGUF, this is another kind of tokenizer");

  for (const char* mark : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (!model[mark].string_or("").empty())
      model[mark].refuse("GGUF has no marks inside or at the end of words");

  std::vector<std::string> notes;
  if (is_byte_level(root["pre_tokenizer"])) {
    export_byte_level(root, into, notes);
    export_tokens(root, vocabulary, rows, into);
  } else {
    into.set("tokenizer.ggml.model", std::string("llama"));
    export_tokens(root, vocabulary, rows, into);
    export_sentencepiece(root, vocabulary, rows, into, notes);
  }
  export_around(root, *tokenizer, into);
  export_ends(*tokenizer, into);
  set_token(into, "unknown", tokenizer->unknown());
  const JsonFile config = read_settings_file(folder / "tokenizer_config.json");
  const JsonFile map = read_settings_file(folder / "special_tokens_map.json");
  if (const auto pad = special_token_text(config.root(), map.root(), "pad_token"))
    set_token(into, "padding", tokenizer->vocabulary().find(*pad));
  export_template(folder, config.root(), into);
  note_flags(vocabulary, notes);
  return notes;
}

}  // namespace linnet
