// Where a model's chat template is found, and which.
#include "text/chat_template.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/error.h"

namespace linnet {
namespace {

namespace fs = std::filesystem;

// A folder for one test, gone after it.
class ChatTemplateFolder : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / concat("linnet-chat-template-", test->name(), "-", ::getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const fs::path& name, std::string_view text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  [[nodiscard]] std::string refusal() const {
    try {
      (void)find_chat_template(folder_);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::model);
      return error.what();
    }
  }

  fs::path folder_;
};

TEST_F(ChatTemplateFolder, TheFileOfItsOwnWinsOverTheConfiguration) {
  write("tokenizer_config.json", R"({"chat_template": "from config", "bos_token": "<s>",
                                     "eos_token": {"content": "</s>", "lstrip": false}})");
  EXPECT_EQ(find_chat_template(folder_).source, "from config");
  write("chat_template.jinja", "from file\n");
  const ChatTemplate found = find_chat_template(folder_);
  EXPECT_EQ(found.source, "from file\n");
  EXPECT_EQ(found.bos_token, "<s>");
  EXPECT_EQ(found.eos_token, "</s>");
  EXPECT_EQ(found.source_for(true), "from file\n");
  write("additional_chat_templates/tool_use.jinja", "tools");
  EXPECT_EQ(find_chat_template(folder_).source_for(true), "tools");
  EXPECT_EQ(find_chat_template(folder_).source_for(false), "from file\n");
}

TEST_F(ChatTemplateFolder, AListOfTemplatesHasOneForTools) {
  write("tokenizer_config.json", R"({"chat_template": [{"name": "rag", "template": "r"},
      {"name": "tool_use", "template": "t"}, {"name": "default", "template": "d"}], "bos_token": null})");
  const ChatTemplate found = find_chat_template(folder_);
  EXPECT_EQ(found.source_for(false), "d");
  EXPECT_EQ(found.source_for(true), "t");
  EXPECT_EQ(found.bos_token, std::nullopt);
  EXPECT_EQ(found.eos_token, std::nullopt);
}

TEST_F(ChatTemplateFolder, TokensMayStandInTheirOwnMap) {
  write("chat_template.jinja", "x");
  write("special_tokens_map.json", R"({"bos_token": {"content": "<b>"}, "eos_token": "<e>"})");
  EXPECT_EQ(find_chat_template(folder_).bos_token, "<b>");
  EXPECT_EQ(find_chat_template(folder_).eos_token, "<e>");
}

TEST_F(ChatTemplateFolder, WhatIsMissingOrWrongIsNamed) {
  EXPECT_NE(refusal().find("has no chat template"), std::string::npos) << refusal();
  write("tokenizer_config.json", R"({"chat_template": [{"name": "rag", "template": "r"}]})");
  EXPECT_NE(refusal().find("none of the templates is named default"), std::string::npos) << refusal();
  write("tokenizer_config.json", R"({"chat_template": 1})");
  EXPECT_NE(refusal().find("chat_template: expected"), std::string::npos) << refusal();
  write("tokenizer_config.json", R"({"chat_template": [{"template": "r"}]})");
  EXPECT_NE(refusal().find("name: expected"), std::string::npos) << refusal();
  write("tokenizer_config.json", "{");
  EXPECT_NE(refusal(), "");
  fs::remove(folder_ / "tokenizer_config.json");
  write("chat_template.jinja", std::string((size_t{1} << 20) + 1, 'x'));
  EXPECT_NE(refusal().find("at most 1048576 bytes"), std::string::npos) << refusal();
}

TEST(ChatTemplateMetadata, IsFoundWithTheTokensThatItNames) {
  Metadata metadata;
  EXPECT_THROW((void)find_chat_template(metadata), Error);
  metadata.set("tokenizer.chat_template", std::string("d"));
  EXPECT_EQ(find_chat_template(metadata).source_for(true), "d");
  EXPECT_EQ(find_chat_template(metadata).bos_token, std::nullopt);
  metadata.set("tokenizer.chat_template.tool_use", std::string("t"));
  metadata.set("tokenizer.ggml.tokens", MetadataArray(StringArray(std::vector<std::string>{"<s>", "</s>"})));
  metadata.set("tokenizer.ggml.bos_token_id", uint32_t{0});
  metadata.set("tokenizer.ggml.eos_token_id", uint32_t{2});
  const ChatTemplate found = find_chat_template(metadata);
  EXPECT_EQ(found.source_for(true), "t");
  EXPECT_EQ(found.source_for(false), "d");
  EXPECT_EQ(found.bos_token, "<s>");
  EXPECT_EQ(found.eos_token, std::nullopt) << "no such token";
}

}  // namespace
}  // namespace linnet
