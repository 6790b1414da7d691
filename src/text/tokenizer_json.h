// tokenizer.json, as Hugging Face's tokenizers writes it: each part of it becomes the part of a Pipeline that
// does the same, or is refused by name. Nothing is guessed and nothing left out.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "files/json_node.h"
#include "text/bpe.h"
#include "text/pipeline_tokenizer.h"

namespace linnet {

// What the files beside tokenizer.json say; takes precedence over it.
struct TokenizerSettings {
  std::optional<std::string> bos, eos, unknown;  // texts of tokens
  std::optional<bool> add_bos, add_eos;  // instead of the post-processor, where a model's class does that
  std::vector<int64_t> ends;             // of a generation
  std::optional<size_t> most_tokens;     // truncation
  bool lowercase = false;                // before everything else
};

// From tokenizer_config.json, special_tokens_map.json, generation_config.json (config.json where there is
// none) and sentence_bert_config.json; an object without members for a file that is absent.
[[nodiscard]] TokenizerSettings read_tokenizer_settings(const JsonNode& config, const JsonNode& map,
                                                        const JsonNode& generation,
                                                        const JsonNode& sentences);

// Throws Error(model) that names the place in the file.
[[nodiscard]] std::unique_ptr<Tokenizer> make_tokenizer_from_json(const JsonFile& file,
                                                                  const TokenizerSettings& settings = {});

// The parts, each in its own file; a null node is the absence of that part.
void read_normalizer(const JsonNode& node, Normalizer& into);

// True iff a ByteLevel step is among them, so that the model works on bytes; with `keeps_alphabet` on the
// characters that stand for them.
[[nodiscard]] bool read_pre_tokenizer(const JsonNode& node, PreTokenizer& into, bool keeps_alphabet = false);

// Puts its tokens around what is there.
void read_post_processor(const JsonNode& node, const Vocabulary& vocabulary, Pipeline& into);

// model: its type decides where there is no decoder.
[[nodiscard]] PieceFormat read_decoder(const JsonNode& node, const JsonNode& model, bool byte_level);

// The vocabulary of a model with the added tokens; `texts` keeps what the parts' views refer to.
struct JsonVocabulary {
  VocabularyParts parts;
  std::vector<std::string> texts;
  std::vector<double> scores;  // unigram only
  std::vector<AddedToken> added;
};
// "BPE", "WordPiece", …; old files do not say, it shows in their members.
[[nodiscard]] std::string model_type(const JsonNode& model);
[[nodiscard]] JsonVocabulary read_vocabulary(const JsonNode& root);
// Each merge is "left right" or ["left", "right"]; views into the file.
[[nodiscard]] std::vector<Bpe::Pair> read_merges(const JsonNode& node);
// True iff it is BPE without marks inside or at the end of words, which can merge the bytes of a ByteLevel
// step as such. Other models see the characters that stand for them.
[[nodiscard]] bool works_on_bytes(const JsonNode& model);
[[nodiscard]] std::unique_ptr<WordModel> read_model(const JsonNode& node, const Vocabulary& vocabulary,
                                                    const std::vector<double>& scores, bool byte_level);

}  // namespace linnet
