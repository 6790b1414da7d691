// Real chat templates against transformers (shared/testdata/templates), and how a request becomes a context.
#include "text/jinja/chat.h"

#include "render.h"

namespace linnet::jinja {
namespace {

using Json = nlohmann::ordered_json;

[[nodiscard]] std::string chat_text(std::string source, const Json& request) {
  ChatTemplate chat;
  chat.source = std::move(source);
  return render_chat(chat, parse_json(request.dump()));
}

[[nodiscard]] std::string chat_text(std::string source, const char* request) {
  return chat_text(std::move(source), Json::parse(request));
}

TEST(ChatTemplates, EveryRowComesOutAsTransformersRendersIt) {
  const auto folder = test::testdata() / "templates";
  if (!std::filesystem::exists(folder / "expected.json")) GTEST_SKIP() << "no test data at " << folder;
  const Json rows = Json::parse(test::contents_of(folder / "expected.json"));
  ASSERT_EQ(rows.size(), 128u);
  for (const Json& row : rows) {
    const std::string name = row.at("template").get<std::string>();
    SCOPED_TRACE(name + ": " + row.at("name").get<std::string>());
    const std::string source = test::contents_of(folder / name);
    if (!row.contains("error")) {
      EXPECT_EQ(chat_text(source, row), row["expected"].get<std::string>());
      continue;
    }
    const std::string error = row["error"].get<std::string>();
    const std::string reason = error.substr(error.find(": ") + 2);
    try {
      ADD_FAILURE() << "rendered, but transformers says " << error << ": " << chat_text(source, row);
    } catch (const TemplateError& refused) {
      EXPECT_EQ(refused.reason(), reason);
      EXPECT_GE(refused.line(), 1);
    }
  }
}

TEST(ChatTemplates, AbsentToolsAndDocumentsAreNoneAndNotUndefined) {
  EXPECT_EQ(chat_text("{{ tools is none }} {{ documents is none }}", R"({"messages": []})"), "True True");
  EXPECT_EQ(chat_text("{{ tools }}", R"({"messages": [], "tools": [1]})"), "[1]");
}

TEST(ChatTemplates, TheGenerationPromptIsAskedForUnlessTheCallerSaysOtherwise) {
  constexpr const char* kSource = "{{ add_generation_prompt }}";
  EXPECT_EQ(chat_text(kSource, R"({"messages": []})"), "True");
  EXPECT_EQ(chat_text(kSource, R"({"messages": [], "kwargs": {"add_generation_prompt": false}})"), "False");
}

TEST(ChatTemplates, KwargsAreVariablesAndWinOverTokens) {
  EXPECT_EQ(
      chat_text("{{ bos_token }}{{ a.b }}",
                R"({"messages": [], "bos_token": "<s>", "kwargs": {"bos_token": "<t>", "a": {"b": 1}}})"),
      "<t>1");
  EXPECT_EQ(chat_text("[{{ bos_token }}{{ eos_token }}]", R"({"messages": [], "eos_token": null})"),
            "[None]");
}

TEST(ChatTemplates, TheTimeIsTheOneGiven) {
  constexpr const char* kRequest = R"({"messages": [], "now": "2024-02-29T03:04:05.006"})";
  EXPECT_EQ(chat_text("{{ strftime_now('%d %b %Y') }}", kRequest), "29 Feb 2024");
  EXPECT_EQ(chat_text("{{ strftime_now('%A %-d %H:%M:%S.%f %j%%') }}", kRequest),
            "Thursday 29 03:04:05.006000 060%");
  EXPECT_EQ(chat_text("{{ strftime_now('%Y')|length }}", R"({"messages": []})"), "4");
}

TEST(ChatTemplates, RequestsThatAreNoneAreRefusedByName) {
  const auto refusal = [](const char* request) -> std::string {
    try {
      return chat_text("", request);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
  };
  EXPECT_EQ(refusal("[]"), "[template] request: expected an object, got list");
  EXPECT_EQ(refusal("{}"), "[template] messages: expected an array, got nothing");
  EXPECT_EQ(refusal(R"({"messages": 1})"), "[template] messages: expected an array, got int");
  EXPECT_EQ(refusal(R"({"messages": [], "kwargs": 1})"), "[template] kwargs: expected an object, got int");
  EXPECT_EQ(refusal(R"({"messages": [], "kwargs": {"tools": []}})"),
            "[template] kwargs: tools belongs beside kwargs");
  EXPECT_EQ(refusal(R"({"messages": [], "now": 1})"), "[template] now: expected a string, got int");
  for (const char* now :
       {"", "x", "2024-13-01", "2024-02-30", "2024-01-01T25:00", "2024-01-01Tx", "2024-1-1"}) {
    const Json request = {{"messages", Json::array()}, {"now", now}};
    EXPECT_THROW((void)chat_text("", request), Error) << now;
  }
}

TEST(ChatTemplates, JsonKeepsTheOrderOfKeysAndLargeNumbers) {
  EXPECT_EQ(chat_text("{{ messages|tojson }}",
                      R"({"messages": [{"z": 18446744073709551615, "a": -9223372036854775808, "m": 1.0}]})"),
            R"([{"z": 18446744073709551615, "a": -9223372036854775808, "m": 1.0}])");
}

TEST(ChatTemplates, TheModelsTokensStandInForThoseThatTheRequestLeavesOut) {
  ChatTemplate chat;
  chat.source = "{{ bos_token }}{{ eos_token }}{{ tools }}";
  chat.bos_token = "<s>";
  EXPECT_EQ(render_chat(chat, parse_json(R"({"messages": []})")), "<s>None");
  EXPECT_EQ(render_chat(chat, parse_json(R"({"messages": [], "bos_token": "<b>", "eos_token": "<e>"})")),
            "<b><e>None");
  chat.tool_use = "with {{ tools }}";
  EXPECT_EQ(render_chat(chat, parse_json(R"({"messages": [], "tools": null})")), "<s>None");
  EXPECT_EQ(render_chat(chat, parse_json(R"({"messages": [], "tools": []})")), "with []");
}

TEST(JinjaJson, KeepsOrderAndDigits) {
  EXPECT_EQ(
      test::render("{{ a|tojson }}", R"({"a": {"z": 123456789012345678901234567890, "b": [1.50, -0]}})"),
      R"({"z": 123456789012345678901234567890, "b": [1.5, 0]})");
}

TEST(JinjaJson, IsRefusedWithItsPlace) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      (void)parse_json(text);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
  };
  EXPECT_EQ(refusal(std::string(5000, '[')), "[template] JSON: nested more than 100 deep");
  EXPECT_EQ(refusal("1" + std::string(60, '0')), "[template] JSON: integer of more than 128 bits");
  EXPECT_TRUE(refusal("{\n\"a\" 1}").starts_with("[template] JSON: parse error at line 2, column 5"))
      << refusal("{\n\"a\" 1}");
  EXPECT_NE(refusal(""), "");
  EXPECT_NE(refusal("\"\xFF\""), "");
  EXPECT_NE(refusal("1 2"), "");
}

}  // namespace
}  // namespace linnet::jinja
