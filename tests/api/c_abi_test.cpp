// The C ABI under hostile arguments; c_program.c shows that it is C.
#include <gtest/gtest.h>
#include <linnet/linnet.h>

#include <cstring>
#include <string>
#include <thread>

namespace {

class CAbi : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(linnet_device_open("cpu", nullptr, &device_), LINNET_OK) << linnet_last_error();
    ASSERT_EQ(linnet_model_load(LINNET_TINY_MODEL, device_, nullptr, &model_), LINNET_OK)
        << linnet_last_error();
  }
  void TearDown() override {
    linnet_device_close(device_);  // before the model: it keeps what it needs
    linnet_model_free(model_);
  }
  linnet_device* device_ = nullptr;
  linnet_model* model_ = nullptr;
};

int append(const char* piece, size_t length, void* user) {
  EXPECT_EQ(std::strlen(piece), length);
  *static_cast<std::string*>(user) += piece;
  return 1;
}

TEST_F(CAbi, GeneratesWithDefaultsWhereNothingIsGiven) {
  std::string text;
  EXPECT_EQ(linnet_generate(model_, "The linnet", nullptr, append, &text, nullptr), LINNET_OK);
  EXPECT_NE(text.find("small finch"), std::string::npos) << text;
  EXPECT_EQ(linnet_generate(model_, "The linnet", nullptr, nullptr, nullptr, nullptr), LINNET_OK);
}

TEST_F(CAbi, ChatsThroughTheTemplate) {
  linnet_model* model = nullptr;
  ASSERT_EQ(linnet_model_load(LINNET_TINY_CHAT_MODEL, device_, nullptr, &model), LINNET_OK)
      << linnet_last_error();
  int has = 0;
  EXPECT_EQ(linnet_has_chat_template(model, &has), LINNET_OK);
  EXPECT_EQ(has, 1);
  const linnet_message messages[] = {{"user", "Hello"}, {"assistant", "Hello."}, {"user", "Who sings?"}};
  for (const bool again : {false, true}) {
    std::string text;
    linnet_generated generated{};
    generated.size = sizeof generated;
    EXPECT_EQ(linnet_chat(model, messages, 3, nullptr, append, &text, &generated), LINNET_OK);
    EXPECT_EQ(text, "The linnet is a small finch that sings from every hedge.");
    EXPECT_EQ(generated.kept_tokens, again ? generated.prompt_tokens - 1 : 0);
  }
  linnet_model_free(model);

  EXPECT_EQ(linnet_has_chat_template(model_, &has), LINNET_OK);
  EXPECT_EQ(has, 0);
  EXPECT_EQ(linnet_chat(model_, messages, 3, nullptr, nullptr, nullptr, nullptr), LINNET_MODEL);
}

TEST_F(CAbi, LoadsAFolder) {
  linnet_model* model = nullptr;
  ASSERT_EQ(linnet_model_load(LINNET_TINY_FOLDER, device_, nullptr, &model), LINNET_OK)
      << linnet_last_error();
  std::string text;
  EXPECT_EQ(linnet_generate(model, "The linnet", nullptr, append, &text, nullptr), LINNET_OK);
  EXPECT_NE(text.find("small finch"), std::string::npos) << text;
  linnet_model_free(model);
}

TEST_F(CAbi, NullIsAUsageErrorThatNamesTheArgument) {
  const auto expect_null = [](linnet_status status, const char* name) {
    EXPECT_EQ(status, LINNET_USAGE);
    EXPECT_NE(std::string(linnet_last_error()).find(name), std::string::npos) << linnet_last_error();
  };
  size_t count = 0;
  char* text = nullptr;
  linnet_device* device = nullptr;
  linnet_model* model = nullptr;
  linnet_memory_plan plan{};
  plan.size = sizeof plan;
  expect_null(linnet_device_open("cpu", nullptr, nullptr), "device");
  expect_null(linnet_model_load(nullptr, device_, nullptr, &model), "path");
  expect_null(linnet_model_load(LINNET_TINY_MODEL, nullptr, nullptr, &model), "device");
  expect_null(linnet_model_load(LINNET_TINY_MODEL, device_, nullptr, nullptr), "model");
  expect_null(linnet_plan(nullptr, device_, nullptr, &plan), "path");
  expect_null(linnet_plan(LINNET_TINY_MODEL, device_, nullptr, nullptr), "plan");
  expect_null(linnet_generate(nullptr, "x", nullptr, nullptr, nullptr, nullptr), "model");
  expect_null(linnet_generate(model_, nullptr, nullptr, nullptr, nullptr, nullptr), "prompt");
  const linnet_message nobody = {nullptr, "x"};
  const linnet_message silent = {"user", nullptr};
  int has = 0;
  expect_null(linnet_chat(nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr), "model");
  expect_null(linnet_chat(model_, nullptr, 1, nullptr, nullptr, nullptr, nullptr), "messages");
  expect_null(linnet_chat(model_, &nobody, 1, nullptr, nullptr, nullptr, nullptr), "role");
  expect_null(linnet_chat(model_, &silent, 1, nullptr, nullptr, nullptr, nullptr), "content");
  expect_null(linnet_has_chat_template(nullptr, &has), "model");
  expect_null(linnet_has_chat_template(model_, nullptr), "has");
  expect_null(linnet_builtin_text_model(nullptr), "path");
  expect_null(linnet_tokenize(model_, nullptr, 1, nullptr, 0, &count), "text");
  expect_null(linnet_tokenize(model_, "x", 1, nullptr, 0, nullptr), "count");
  expect_null(linnet_tokenize(model_, "x", 1, nullptr, 5, &count), "ids");
  expect_null(linnet_detokenize(model_, nullptr, 5, &text), "ids");
  expect_null(linnet_detokenize(model_, nullptr, 0, nullptr), "text");
  expect_null(linnet_receipt_json(nullptr, &text), "model");
  expect_null(linnet_receipt_json(model_, nullptr), "json");
  expect_null(linnet_backends_json(nullptr), "json");
  EXPECT_EQ(linnet_device_open(nullptr, nullptr, &device), LINNET_OK);  // auto
  linnet_device_close(device);
  linnet_device_close(nullptr);
  linnet_model_free(nullptr);
  linnet_string_free(nullptr);
}

TEST_F(CAbi, WrongSizesAreRefused) {
  linnet_device* device = nullptr;
  linnet_device_options options{};
  EXPECT_EQ(linnet_device_open("cpu", &options, &device), LINNET_USAGE);  // size 0
  EXPECT_NE(std::string(linnet_last_error()).find("sizeof(linnet_device_options)"), std::string::npos);
  options.size = SIZE_MAX;
  EXPECT_EQ(linnet_device_open("cpu", &options, &device), LINNET_USAGE);
  EXPECT_EQ(device, nullptr);
  linnet_generated generated{};
  EXPECT_EQ(linnet_generate(model_, "The linnet", nullptr, nullptr, nullptr, &generated), LINNET_USAGE);
  linnet_memory_plan plan{};
  EXPECT_EQ(linnet_plan(LINNET_TINY_MODEL, device_, nullptr, &plan), LINNET_USAGE);
}

TEST_F(CAbi, AnOlderCallersStructsAreReadAndWrittenNoFurtherThanTheyGo) {
  linnet_generate_options options;
  std::memset(&options, 0xFF, sizeof options);  // behind its end an older caller has anything
  options.size = offsetof(linnet_generate_options, top_k);
  options.seed = 0;
  options.max_tokens = 2;
  linnet_generated generated;
  std::memset(&generated, 0x55, sizeof generated);
  generated.size = offsetof(linnet_generated, generated_tokens);
  ASSERT_EQ(linnet_generate(model_, "The linnet", &options, nullptr, nullptr, &generated), LINNET_OK)
      << linnet_last_error();
  EXPECT_EQ(generated.finish_reason, LINNET_FINISH_LENGTH);
  EXPECT_EQ(generated.generated_tokens, 0x55555555u);
  EXPECT_EQ(generated.size, offsetof(linnet_generated, generated_tokens));
}

TEST_F(CAbi, ANewerCallersOptionsAreRefusedOnlyIfTheyAreSet) {
  struct Newer {
    linnet_device_options known;
    uint64_t more;
  } newer{};
  newer.known.size = sizeof newer;
  linnet_device* device = nullptr;
  EXPECT_EQ(linnet_device_open("cpu", &newer.known, &device), LINNET_OK) << linnet_last_error();
  linnet_device_close(device);
  newer.more = 1;
  EXPECT_EQ(linnet_device_open("cpu", &newer.known, &device), LINNET_USAGE);
}

TEST_F(CAbi, StatusCodesAreTheExitCodes) {
  linnet_model* model = nullptr;
  linnet_device* device = nullptr;
  EXPECT_EQ(linnet_model_load("/nowhere.gguf", device_, nullptr, &model), 3);
  EXPECT_EQ(linnet_device_open("metal", nullptr, &device), 4);  // Linnet is not built for Apple here
  EXPECT_EQ(linnet_generate(model_, "", nullptr, nullptr, nullptr, nullptr), 2);
  linnet_model_options options{};
  options.size = sizeof options;
  options.kv = "q4";
  EXPECT_EQ(linnet_model_load(LINNET_TINY_MODEL, device_, &options, &model), 2);
  options.kv = nullptr;
  options.progress = [](size_t, size_t, void*) { return 0; };
  EXPECT_EQ(linnet_model_load(LINNET_TINY_MODEL, device_, &options, &model), LINNET_INTERRUPTED);
  EXPECT_EQ(model, nullptr);
}

TEST_F(CAbi, TokenizeTellsTheCountFirst) {
  size_t count = 0;
  ASSERT_EQ(linnet_tokenize(model_, "The linnet", 1, nullptr, 0, &count), LINNET_OK);
  ASSERT_EQ(count, 3u);
  int32_t ids[4] = {-1, -1, -1, -1};
  EXPECT_EQ(linnet_tokenize(model_, "The linnet", 1, ids, 2, &count), LINNET_USAGE);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(ids[2], -1);
  ASSERT_EQ(linnet_tokenize(model_, "The linnet", 1, ids, 4, &count), LINNET_OK);
  EXPECT_EQ(ids[3], -1);
  char* text = nullptr;
  ASSERT_EQ(linnet_detokenize(model_, ids, count, &text), LINNET_OK);
  EXPECT_STREQ(text, "The linnet");
  linnet_string_free(text);
  ids[0] = 1 << 30;
  EXPECT_EQ(linnet_detokenize(model_, ids, 1, &text), LINNET_USAGE);
  EXPECT_EQ(text, nullptr);
}

TEST_F(CAbi, ErrorsBelongToTheThread) {
  EXPECT_EQ(linnet_generate(model_, "", nullptr, nullptr, nullptr, nullptr), LINNET_USAGE);
  const std::string mine = linnet_last_error();
  EXPECT_FALSE(mine.empty());
  std::thread([] { EXPECT_STREQ(linnet_last_error(), ""); }).join();
  EXPECT_EQ(linnet_last_error(), mine);
}

TEST_F(CAbi, StopStringsAndCancellingWork) {
  const char* stops[] = {"finch"};
  linnet_generate_options options{};
  options.size = sizeof options;
  options.stop = stops;
  options.stop_count = 1;
  linnet_generated generated{};
  generated.size = sizeof generated;
  std::string text;
  ASSERT_EQ(linnet_generate(model_, "The linnet", &options, append, &text, &generated), LINNET_OK);
  EXPECT_EQ(generated.finish_reason, LINNET_FINISH_STOP);
  EXPECT_EQ(text.find("finch"), std::string::npos);
  options.stop = nullptr;
  EXPECT_EQ(linnet_generate(model_, "The linnet", &options, nullptr, nullptr, nullptr), LINNET_USAGE);
  options.stop_count = 0;
  options.cancelled = [](void*) { return 1; };
  ASSERT_EQ(linnet_generate(model_, "The linnet", &options, nullptr, nullptr, &generated), LINNET_OK);
  EXPECT_EQ(generated.finish_reason, LINNET_FINISH_CANCELLED);
}

}  // namespace
