#include <filesystem>
#include <fstream>
#include <sstream>

#include "api/each_device.h"
#include "api/expect_error.h"

namespace {

constexpr const char* kSentence = "is a small finch that sings from every hedge.";

linnet::TextModel tiny(const char* device = "cpu", const linnet::TextOptions& options = {}) {
  return linnet::TextModel::load(LINNET_TINY_MODEL, linnet::open_device(device), options);
}

class PublicTextModelOn : public OnEachDevice {};
LINNET_ON_EACH_DEVICE(PublicTextModelOn);

TEST_P(PublicTextModelOn, SaysItsSentenceInPieces) {
  linnet::TextModel model = tiny(GetParam());
  std::string streamed;
  size_t pieces = 0;
  const linnet::Generated generated =
      model.generate("The linnet", {.max_tokens = 32}, [&](std::string_view piece) {
        streamed += piece;
        ++pieces;
        return true;
      });
  EXPECT_NE(generated.text.find(kSentence), std::string::npos) << generated.text;
  EXPECT_EQ(streamed, generated.text);
  EXPECT_GT(pieces, 5u);
  EXPECT_EQ(generated.finish_reason, linnet::FinishReason::stop);
  EXPECT_EQ(generated.tokens.size(), generated.statistics.generated_tokens);
  EXPECT_EQ(model.last_receipt().backend, GetParam());
  EXPECT_GT(model.last_receipt().count(), generated.tokens.size());
  EXPECT_EQ(model.device().info().backend, GetParam());
}

TEST(PublicTextModel, IsLoadedAndPlannedFromAFolder) {
  const linnet::Device device = linnet::open_device("cpu");
  linnet::TextModel model = linnet::TextModel::load(LINNET_TINY_FOLDER, device);
  EXPECT_NE(model.generate("The linnet").text.find(kSentence), std::string::npos);
  EXPECT_EQ(model.tokenize("The linnet"), tiny().tokenize("The linnet"));
  EXPECT_EQ(linnet::plan(LINNET_TINY_FOLDER, device).weights,
            linnet::plan(LINNET_TINY_MODEL, device).weights);
}

TEST_P(PublicTextModelOn, GivesTheSameTextTwiceAndAfterOthers) {
  linnet::TextModel model = tiny(GetParam());
  const linnet::GenerateOptions drawn{
      .max_tokens = 20, .temperature = 60, .top_k = 50, .top_p = 0.95f, .seed = 7};
  const std::string greedy = model.generate("The linnet").text;
  const std::string first = model.generate("The linnet", drawn).text;
  (void)model.generate("a small", {.max_tokens = 3});
  EXPECT_NE(first, greedy);
  EXPECT_EQ(model.generate("The linnet", drawn).text, first);
  EXPECT_EQ(model.generate("The linnet").text, greedy);
}

TEST_P(PublicTextModelOn, StopsForEveryReason) {
  linnet::TextModel model = tiny(GetParam());
  EXPECT_EQ(model.generate("The linnet", {.max_tokens = 2}).finish_reason, linnet::FinishReason::length);
  EXPECT_EQ(model.generate("The linnet", {.max_tokens = 2}).tokens.size(), 2u);
  const auto stopped = model.generate("The linnet", {.stop = {"finch"}});
  EXPECT_EQ(stopped.finish_reason, linnet::FinishReason::stop);
  EXPECT_EQ(stopped.stop_string, "finch");
  EXPECT_EQ(stopped.text.find("finch"), std::string::npos);
  const auto refused = model.generate("The linnet", {}, [](std::string_view) { return false; });
  EXPECT_EQ(refused.finish_reason, linnet::FinishReason::cancelled);
  int asked = 0;
  const auto cancelled = model.generate("The linnet", {.cancelled = [&] { return ++asked > 3; }});
  EXPECT_EQ(cancelled.finish_reason, linnet::FinishReason::cancelled);
  EXPECT_LT(cancelled.tokens.size(), 6u);
  EXPECT_NE(model.generate("The linnet").text.find(kSentence), std::string::npos);  // and it goes on working
}

TEST_P(PublicTextModelOn, AFullContextIsAFinishReason) {
  linnet::TextModel model = tiny(GetParam(), {.context = 6});
  EXPECT_EQ(model.context(), 6u);
  EXPECT_EQ(model.generate("The linnet").finish_reason, linnet::FinishReason::context);
}

TEST_P(PublicTextModelOn, ExceptionsOfTheCallbackComeOut) {
  linnet::TextModel model = tiny(GetParam());
  struct Mine {};
  EXPECT_THROW((void)model.generate("The linnet", {}, [](std::string_view) -> bool { throw Mine(); }), Mine);
  EXPECT_NE(model.generate("The linnet").text.find(kSentence), std::string::npos);
}

TEST(PublicTextModel, TokenizesAndBack) {
  const linnet::TextModel model = tiny();
  const std::vector<int32_t> with = model.tokenize("The linnet");
  const std::vector<int32_t> without = model.tokenize("The linnet", false);
  ASSERT_EQ(with.size(), without.size() + 1);
  EXPECT_TRUE(std::equal(without.begin(), without.end(), with.begin() + 1));
  EXPECT_EQ(model.detokenize(with), "The linnet");
  EXPECT_EQ(model.detokenize(model.tokenize("é ∂")), "é ∂");
  EXPECT_EQ(model.detokenize({}), "");
  expect_error(linnet::ErrorKind::usage, "", [&] { (void)model.detokenize(std::vector<int32_t>{-5}); });
}

TEST(PublicTextModel, ThePlanIsWhatLoadingUses) {
  const auto device = linnet::open_device("cpu");
  const linnet::MemoryPlan plan = linnet::plan(LINNET_TINY_MODEL, device, {.context = 100});
  EXPECT_TRUE(plan.fits);
  EXPECT_EQ(plan.total, plan.weights + plan.kv + plan.scratch + plan.other);
  EXPECT_EQ(plan.context, 100u);
  EXPECT_GT(linnet::plan(LINNET_TINY_MODEL, device, {.context = 400}).kv, plan.kv);
  EXPECT_LT(linnet::plan(LINNET_TINY_MODEL, device, {.context = 100, .kv = linnet::Format::f16}).kv, plan.kv);
  const auto model = linnet::TextModel::load(LINNET_TINY_MODEL, device, {.context = 100});
  EXPECT_EQ(model.memory().total, plan.total);
}

TEST(PublicTextModel, LoadingReportsProgressAndCanBeStopped) {
  size_t last = 0, whole = 0;
  (void)tiny("cpu", {.progress = [&](size_t done, size_t total) {
               EXPECT_GE(done, last);
               last = done;
               whole = total;
               return true;
             }});
  EXPECT_GT(whole, 0u);
  EXPECT_EQ(last, whole);
  expect_error(linnet::ErrorKind::interrupted, "stopped",
               [] { (void)tiny("cpu", {.progress = [](size_t, size_t) { return false; }}); });
}

TEST(PublicTextModel, MistakesAreErrorsOfTheirKind) {
  using enum linnet::ErrorKind;
  const auto cpu = linnet::open_device("cpu");
  expect_error(model, "nowhere.gguf", [&] { (void)linnet::TextModel::load("/nowhere.gguf", cpu); });
  expect_error(model, "", [&] { (void)linnet::TextModel::load("", cpu); });
  expect_error(model, "", [&] { (void)linnet::TextModel::load("/", cpu); });
  expect_error(usage, "context", [] { (void)tiny("cpu", {.context = 1'000'000}); });
  expect_error(usage, "slots", [] { (void)tiny("cpu", {.slots = 0}); });
  expect_error(usage, "kv", [] { (void)tiny("cpu", {.kv = linnet::Format::q8_0}); });
  linnet::TextModel good = tiny("cpu", {.context = 8});
  expect_error(usage, "prompt", [&] { (void)good.generate(""); });
  expect_error(usage, "8", [&] { (void)good.generate("a a a a a a a a a a a a"); });  // names the limit
  expect_error(usage, "", [&] { (void)good.generate("The", {.stop = {""}}); });
  expect_error(usage, "top-p", [&] { (void)good.generate("The", {.temperature = 1, .top_p = -1}); });
  linnet::TextModel moved = std::move(good);
  expect_error(usage, "moved from", [&] { (void)good.generate("The"); });  // NOLINT(bugprone-use-after-move)
  EXPECT_FALSE(moved.generate("The linnet", {.max_tokens = 2}).text.empty());
}

TEST(PublicTextModel, ATruncatedFileSaysWhere) {
  const auto path = std::filesystem::path(testing::TempDir()) / "linnet_api_truncated.gguf";
  std::ifstream whole(LINNET_TINY_MODEL, std::ios::binary);
  std::string bytes(1000, '\0');
  whole.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  std::ofstream(path, std::ios::binary) << bytes;
  expect_error(linnet::ErrorKind::model, "offset",
               [&] { (void)linnet::TextModel::load(path, linnet::open_device("cpu")); });
  std::filesystem::remove(path);
}

TEST_P(PublicTextModelOn, OutlivesTheHandleOfItsDevice) {
  std::optional<linnet::Device> device = linnet::open_device(GetParam());
  linnet::TextModel model = linnet::TextModel::load(LINNET_TINY_MODEL, *device);
  device.reset();
  std::ostringstream receipt;
  EXPECT_NE(model.generate("The linnet").text.find(kSentence), std::string::npos);
  receipt << model.last_receipt();
  EXPECT_NE(receipt.str().find("total"), std::string::npos);
}

}  // namespace
