// tokenizer.json → tokenizer.ggml.*: the keys give the tokens that tokenizer.json gives, or it is refused.
#include "text/gguf_export.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "files/safetensors_bytes.h"
#include "files/temporary_folder.h"
#include "text/test_files.h"
#include "text/tokenizer.h"

namespace linnet {
namespace {

using Json = nlohmann::json;

class GgufExport : public ::testing::Test {
 protected:
  // One of the fixtures, changed.
  template <class Change>
  void write(const std::string& fixture, Change change) {
    Json json = Json::parse(test::contents_of(test::tokenizer_fixtures() / (fixture + ".tokenizer.json")));
    change(json);
    test::write_bytes(folder / "tokenizer.json", json.dump());
  }
  void write(const std::string& fixture) {
    write(fixture, [](Json&) {});
  }
  [[nodiscard]] Metadata exported(size_t rows = 2000) {
    Metadata metadata;
    notes = export_tokenizer(folder / "", rows, metadata);
    return metadata;
  }
  void expect_refused(std::string_view fragment) {
    try {
      (void)exported();
      FAIL() << "accepted; expected: " << fragment;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::model);
      EXPECT_NE(std::string_view(error.what()).find(fragment), std::string_view::npos) << error.what();
    }
  }
  test::TemporaryFolder folder;
  std::vector<std::string> notes;
};

struct Named {
  const char* fixture;
  const char* pre;
  size_t notes = 0;
};
class ByteLevelExport : public GgufExport, public ::testing::WithParamInterface<Named> {};
INSTANTIATE_TEST_SUITE_P(Of, ByteLevelExport,
                         ::testing::Values(Named{"gpt2", "gpt-2"}, Named{"llama3", "llama-bpe"},
                                           Named{"qwen2", "qwen2", 1}, Named{"starcoder", "starcoder"},
                                           Named{"deepseek_llm", "deepseek-llm"},
                                           Named{"deepseek_coder", "deepseek-coder"},
                                           Named{"deepseek_v3", "deepseek-v3"}, Named{"falcon", "falcon"},
                                           Named{"default", "default"}, Named{"gpt4o", "gpt-4o"},
                                           Named{"neox", "gpt-2", 1}),
                         [](const auto& each) { return each.param.fixture; });

// The texts and ids that Hugging Face's tokenizers recorded.
TEST_P(ByteLevelExport, IsNamedAndGivesTheSameTokens) {
  write(GetParam().fixture);
  const Metadata metadata = exported();
  EXPECT_EQ(metadata.get_string("tokenizer.ggml.model"), "gpt2");
  EXPECT_EQ(metadata.get_string("tokenizer.ggml.pre"), GetParam().pre);
  EXPECT_EQ(notes.size(), GetParam().notes);
  const auto from_gguf = make_tokenizer(metadata);
  const auto from_folder = make_tokenizer_from_folder(folder / "");
  EXPECT_EQ(from_gguf->bos(),
            from_folder->encode("").empty() ? from_folder->bos() : from_folder->encode("").front());
  const Json expected = Json::parse(
      test::contents_of(test::tokenizer_fixtures() / (std::string(GetParam().fixture) + ".expected.json")));
  size_t compared = 0;
  for (const Json& row : expected["rows"]) {
    if (GetParam().notes > 0 && row.contains("normalized")) continue;  // what the note says
    const std::string text = row["text"];
    EXPECT_EQ(from_gguf->encode(text, {.add_special = false, .parse_special = true}),
              row["ids"].get<std::vector<Token>>())
        << text;
    EXPECT_EQ(from_gguf->encode(text, {.add_special = true, .parse_special = true}),
              from_folder->encode(text, {.add_special = true, .parse_special = true}))
        << text;
    ++compared;
  }
  EXPECT_GT(compared, 80u);
}

TEST_F(GgufExport, GivesEveryRowATokenOfItsOwn) {
  write("gpt2");
  const Metadata metadata = exported(700);
  const auto tokens = metadata.get_strings("tokenizer.ggml.tokens");
  ASSERT_EQ(tokens.size(), 700u);
  EXPECT_EQ(tokens[699], "[PAD699]");
  EXPECT_EQ(metadata.get_integers("tokenizer.ggml.token_type")[699], 5);
  EXPECT_THROW((void)exported(100), Error);
}

TEST_F(GgufExport, TakesSpecialTokensFromTheFilesBeside) {
  write("llama3");
  test::write_bytes(
      folder / "tokenizer_config.json",
      R"({"bos_token":"<|begin|>","eos_token":{"content":"<|end|>"},"chat_template":"{{ messages }}"})");
  test::write_bytes(folder / "generation_config.json", R"({"eos_token_id":[1,5]})");
  const Metadata metadata = exported();
  EXPECT_EQ(metadata.get_u32("tokenizer.ggml.bos_token_id"), 0u);
  EXPECT_EQ(metadata.get_u32("tokenizer.ggml.eos_token_id"), 1u);
  EXPECT_EQ(metadata.get_u32("tokenizer.ggml.eot_token_id"), 5u);
  EXPECT_TRUE(metadata.get_bool("tokenizer.ggml.add_bos_token"));
  EXPECT_FALSE(metadata.get_bool("tokenizer.ggml.add_eos_token"));
  EXPECT_EQ(metadata.get_string("tokenizer.chat_template"), "{{ messages }}");
}

TEST_F(GgufExport, RefusesByNameWhatGgufCannotSay) {
  write("general");
  expect_refused("GGUF has no name for words cut by 'Isolated ");
  write("llama3", [](Json& json) { json["pre_tokenizer"]["pretokenizers"][0]["invert"] = true; });
  expect_refused("'Isolated inverted ");
  write("qwen2", [](Json& json) { json["model"]["ignore_merges"] = true; });
  expect_refused("with ignore_merges");
  write("qwen2", [](Json& json) { json["model"]["end_of_word_suffix"] = "</w>"; });
  expect_refused("end_of_word_suffix: GGUF has no marks inside or at the end of words");
  write("roberta");
  expect_refused("add_prefix_space: GGUF's byte-level tokenizers put no space before a text");
  write("added");
  expect_refused("no normalizer 'Lowercase'");
  write("bert");
  expect_refused("only BPE can be written");
  write("unigram");
  expect_refused("only BPE can be written");
  write("llama_legacy");
  expect_refused("but that is no merge: GGUF's scores cannot say so");
  write("metaspace_never");
  expect_refused("fall back to bytes");
  std::filesystem::remove(folder / "tokenizer.json");
  expect_refused("has no tokenizer.json");
}

}  // namespace
}  // namespace linnet
