// tokenizer.json: what is refused, with its place; settings from the files beside it.
#include "text/tokenizer_json.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "text/detokenizer.h"

namespace linnet {
namespace {

using Json = nlohmann::json;

[[nodiscard]] Json small_bpe() {
  return Json::parse(R"({
    "added_tokens": [{"id": 4, "content": "<s>", "special": true, "normalized": false},
                     {"id": 5, "content": "<tool>", "special": false, "normalized": false}],
    "normalizer": null, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false},
    "post_processor": null, "decoder": {"type": "ByteLevel"},
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "Ġ": 3}, "merges": ["a b"]}})");
}

[[nodiscard]] std::unique_ptr<Tokenizer> make(const Json& json, const TokenizerSettings& settings = {}) {
  return make_tokenizer_from_json(JsonFile(json.dump(), "tokenizer.json"), settings);
}

void expect_refused(const Json& json, std::string_view message) {
  try {
    (void)make(json);
    ADD_FAILURE() << "accepted; expected: " << message;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_NE(std::string_view(error.what()).find(message), std::string_view::npos) << error.what();
  }
}

// The small one with one part replaced.
[[nodiscard]] Json with(const std::string& pointer, const Json& value) {
  Json json = small_bpe();
  json[Json::json_pointer(pointer)] = value;
  return json;
}

TEST(TokenizerJson, AddedTokensAreCutOutAndSpecialOnesOnlyWhenParsed) {
  const auto tokenizer = make(small_bpe());
  const EncodeOptions parse{.add_special = true, .parse_special = true};
  EXPECT_EQ(tokenizer->encode("ab<s>a<tool>b", parse), (std::vector<Token>{2, 4, 0, 5, 1}));
  EXPECT_EQ(tokenizer->encode("ab<s>a<tool>b"), (std::vector<Token>{2, 0, 5, 1}))
      << "bytes without a token go";
  EXPECT_TRUE(tokenizer->is_control(4));
  EXPECT_FALSE(tokenizer->is_control(5));
  EXPECT_EQ(detokenize(*tokenizer, std::vector<Token>{4, 2, 3, 5}), "ab <tool>");
}

TEST(TokenizerJson, MergesMayBePairs) {
  EXPECT_EQ(make(with("/model/merges", Json::array({Json::array({"a", "b"})})))->encode("ab"),
            (std::vector<Token>{2}));
}

TEST(TokenizerJson, NmtDropsControlsAndMakesSpaces) {
  EXPECT_EQ(make(with("/normalizer", {{"type", "Nmt"}}))->encode("a\x01\u200Bb\uFEFF"),
            (std::vector<Token>{0, 3, 1, 3}));
}

// Texts in tokenizers' own test of this normalizer.
TEST(TokenizerJson, ByteLevelMayBeANormalizer) {
  Normalizer normalizer;
  const JsonFile file(R"({"type": "ByteLevel"})", "tokenizer.json");
  read_normalizer(file.root(), normalizer);
  EncodeWork work;
  EXPECT_EQ(normalizer.apply("Hello 我今天能为你做什么", work), "HelloĠæĪĳä»Ĭå¤©èĥ½ä¸ºä½łåģļä»Ģä¹Ī");
  EXPECT_EQ(normalizer.apply("", work), "");

  Json json = with("/normalizer", {{"type", "ByteLevel"}});
  json["pre_tokenizer"] = nullptr;
  json["added_tokens"][1]["normalized"] = true;
  const auto tokenizer = make(json);
  EXPECT_EQ(tokenizer->encode("ab a"), (std::vector<Token>{2, 3, 0})) << "one word: nothing cuts it";
  EXPECT_EQ(tokenizer->encode("a<tool>b"), (std::vector<Token>{0, 5, 1}));
  EXPECT_EQ(detokenize(*tokenizer, std::vector<Token>{2, 3, 0}), "ab a");
}

TEST(TokenizerJson, WordLevelTakesWordsWhole) {
  const Json json = Json::parse(R"({
    "added_tokens": [{"id": 0, "content": "[UNK]", "special": true}], "pre_tokenizer": {"type": "Whitespace"},
    "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "my": 1, "name": 2, "!": 3}, "unk_token": "[UNK]"}})");
  const auto tokenizer = make(json);
  EXPECT_EQ(tokenizer->kind(), "WordLevel");
  EXPECT_EQ(tokenizer->encode("my  name nam!"), (std::vector<Token>{1, 2, 0, 3}));
  EXPECT_EQ(detokenize(*tokenizer, std::vector<Token>{1, 2, 3}), "my name !") << "no decoder: spaces between";
  Json strict = json;
  strict["model"]["unk_token"] = "<unk>";
  EXPECT_EQ(make(strict)->encode("my"), (std::vector<Token>{1}));
  EXPECT_THROW((void)make(strict)->encode("your"), Error);
  Json untyped = json;
  untyped["model"].erase("type");
  EXPECT_EQ(make(untyped)->encode("my you"), (std::vector<Token>{1, 0}));
}

// As CLIP has it: words of a pattern in the byte alphabet, the last symbol of each marked.
TEST(TokenizerJson, BpeMayMarkTheEndsOfWords) {
  const auto tokenizer = make(Json::parse(R"({
    "added_tokens": [{"id": 0, "content": "<|end|>", "special": true, "normalized": false}],
    "normalizer": {"type": "Lowercase"},
    "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
      {"type": "Split", "pattern": {"Regex": "[\\p{L}]+|[^\\s\\p{L}]+"}, "behavior": "Removed", "invert": true},
      {"type": "ByteLevel", "add_prefix_space": false}]},
    "decoder": {"type": "BPEDecoder", "suffix": "</w>"},
    "model": {"type": "BPE", "unk_token": "<|end|>", "continuing_subword_prefix": "", "end_of_word_suffix": "</w>",
      "vocab": {"<|end|>": 0, "a": 1, "b": 2, "a</w>": 3, "b</w>": 4, "ab": 5, "ab</w>": 6, "Ã": 7, "¤</w>": 8,
                "Ã¤</w>": 9, "!</w>": 10},
      "merges": ["a b</w>", "a b", "Ã ¤</w>"]}})"));
  EXPECT_EQ(tokenizer->encode("AB abb Ä!"), (std::vector<Token>{6, 5, 4, 9, 10}));
  EXPECT_EQ(tokenizer->encode("a?"), (std::vector<Token>{3, 0})) << "unknown";
  EXPECT_EQ(detokenize(*tokenizer, std::vector<Token>{6, 5, 4, 10}), "ab abb !") << "no space at the end";
  EXPECT_EQ(detokenize(*tokenizer, std::vector<Token>{5}), "ab");
}

TEST(TokenizerJson, OtherModelsSeeTheCharactersOfByteLevel) {
  const auto tokenizer = make(Json::parse(R"({
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": true}, "decoder": {"type": "ByteLevel"},
    "model": {"type": "WordLevel", "vocab": {"<unk>": 0, "Ġa": 1, "ĠÃ¤": 2}, "unk_token": "<unk>"}})"));
  EXPECT_EQ(tokenizer->encode("a ä b"), (std::vector<Token>{1, 2, 0}));
  EXPECT_EQ(detokenize(*tokenizer, std::vector<Token>{1, 2}), " a ä");
}

TEST(TokenizerJson, RefusesByNameWhatIsNotSupported) {
  expect_refused(with("/model/type", "Neural"), "tokenizer.json: model: the model 'Neural'");
  expect_refused(with("/normalizer", {{"type", "X"}}), "tokenizer.json: normalizer: the normalizer 'X'");
  expect_refused(with("/normalizer", {{"type", "Sequence"}, {"normalizers", {{{"type", "X"}}}}}),
                 "normalizer.normalizers[0]: the normalizer 'X'");
  expect_refused(with("/pre_tokenizer", {{"type", "UnicodeScripts"}}), "the pre-tokenizer 'UnicodeScripts'");
  expect_refused(with("/post_processor", {{"type", "X"}}), "the post-processor 'X'");
  expect_refused(with("/decoder", {{"type", "CTC"}}), "the decoder 'CTC'");
  expect_refused(with("/model/continuing_subword_prefix", "##"), "'b' does not begin with '##'");
  expect_refused(with("/model/dropout", 0.1), "model.dropout: is not supported");
  expect_refused(with("/model/byte_fallback", true), "not supported together with ByteLevel");
  expect_refused(with("/pre_tokenizer",
                      {{"type", "Split"}, {"pattern", {{"Regex", "(?<=a)b"}}}, {"behavior", "Isolated"}}),
                 "the pattern '(?<=a)b' cannot be used: at byte 2, look-behind");
  expect_refused(
      with("/pre_tokenizer", {{"type", "Split"}, {"pattern", {{"Regex", "a"}}}, {"behavior", "Odd"}}),
      "the behavior 'Odd'");
  expect_refused(with("/normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "AAAA"}}),
                 "is not one of SentencePiece's");
  expect_refused(with("/normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "?"}}),
                 "it is not base64");
}

TEST(TokenizerJson, RefusesWhatIsMissingOrWrong) {
  expect_refused(Json::array(), "tokenizer.json: : expected an object, got array");
  expect_refused(with("/model", nullptr), "model.vocab");
  expect_refused(with("/model/vocab", Json::object()), "needs 'a', which is no token");
  expect_refused(with("/model/vocab/x", "1"), "model.vocab.'x': expected an integer, got string");
  expect_refused(with("/model/vocab/x", -1), "-1 is not between 0 and");
  expect_refused(with("/model/vocab/x", 1000000), "the token id 1000000 is far beyond the number of tokens");
  expect_refused(with("/model/vocab/x", uint64_t{18446744073709551615u}), "is not between 0 and");
  expect_refused(with("/model/vocab/x", 1), "the token id 1 is already that of");
  expect_refused(with("/model/merges", {"ab"}), "model.merges[0]: expected two symbols");
  expect_refused(with("/model/merges", {"a b c"}), "model.merges[0]: expected two symbols");
  expect_refused(with("/model/merges", {"a x"}), "merge 0 of the vocabulary needs 'x'");
  expect_refused(with("/added_tokens/0/id", "4"), "added_tokens[0].id: expected an integer");
  expect_refused(with("/model/unk_token", "?"), "model.unk_token: '?' is not in the vocabulary");
  expect_refused(with("/pre_tokenizer/type", nullptr), "pre_tokenizer.type: expected a string, got nothing");
  expect_refused(with("/pre_tokenizer", {{"type", "Metaspace"}, {"replacement", ""}}),
                 "expected one character");
  expect_refused(with("/post_processor", {{"type", "BertProcessing"}, {"sep", {"x", 99}}, {"cls", {"x", 0}}}),
                 "99 is not between 0 and 5");
}

TEST(TokenizerJson, RefusesWhatIsNoJsonOrTooDeep) {
  EXPECT_THROW((void)JsonFile("{", "x"), Error);
  EXPECT_THROW((void)JsonFile("\"\xFF\"", "x"), Error);
  EXPECT_THROW((void)JsonFile(std::string(100000, '['), "x"), Error);
  EXPECT_NO_THROW((void)JsonFile("\"[[[[\\\"[[\"", "x"));
  const std::string deep = std::string(JsonFile::kDeepest, '[') + std::string(JsonFile::kDeepest, ']');
  EXPECT_NO_THROW((void)JsonFile(deep, "x"));
  EXPECT_THROW((void)JsonFile("[" + deep + "]", "x"), Error);
}

class TokenizerFolder : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("linnet_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  std::filesystem::path folder_;
};

TEST_F(TokenizerFolder, SettingsBesideTokenizerJsonSayWhatIsSpecial) {
  Json json = small_bpe();
  json["truncation"] = {{"max_length", 2}, {"direction", "Right"}};
  write("tokenizer.json", json.dump());
  EXPECT_EQ(make_tokenizer_from_folder(folder_)->encode("aaaa"), (std::vector<Token>{0, 0}));
  EXPECT_EQ(make_tokenizer_from_folder(folder_)->encode("aaaa", {.truncate = false}).size(), 4u);
  write("special_tokens_map.json", R"({"bos_token": "<s>", "eos_token": {"content": "<tool>"}})");
  write("tokenizer_config.json", R"({"bos_token": "<s>", "tokenizer_class": "LlamaTokenizerFast"})");
  write("generation_config.json", R"({"eos_token_id": [3, 5]})");
  write("sentence_bert_config.json", R"({"max_seq_length": 3, "do_lower_case": true})");
  const auto tokenizer = make_tokenizer_from_folder(folder_);
  EXPECT_EQ(tokenizer->bos(), 4);
  EXPECT_EQ(tokenizer->eos(), 5);
  EXPECT_EQ(tokenizer->end_of_generation(), (std::vector<Token>{3, 5}));
  EXPECT_EQ(tokenizer->encode("AAaa"), (std::vector<Token>{4, 0, 0}));
}

TEST_F(TokenizerFolder, NamesTheFilesThatAreMissing) {
  try {
    (void)make_tokenizer_from_folder(folder_);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string_view(error.what()).find("neither tokenizer.json nor vocab.txt"),
              std::string_view::npos);
  }
  write("vocab.txt", "[UNK]\n[CLS]\n[PAD]\n[MASK]\na\n");
  EXPECT_THROW((void)make_tokenizer_from_folder(folder_), Error) << "no [SEP]";
}

}  // namespace
}  // namespace linnet
