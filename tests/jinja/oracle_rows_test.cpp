// Templates against what Jinja2 itself made of them (make_oracle_rows.py).
#include <functional>

#include "render.h"
#include "text/jinja/chat.h"

namespace linnet::jinja {
namespace {

[[nodiscard]] nlohmann::ordered_json read(const char* name) {
  const auto path = std::filesystem::path(LINNET_SOURCE_DIR) / "tests" / "jinja" / name;
  return nlohmann::ordered_json::parse(test::contents_of(path));
}

// result: {"expected"} or {"error": "Type: reason"}.
void expect_result(const nlohmann::ordered_json& result, const std::function<std::string()>& render,
                   bool with_reason) {
  try {
    const std::string text = render();
    if (result.contains("error")) {
      ADD_FAILURE() << "rendered, but Jinja2 says " << result["error"] << ": " << text;
    } else {
      EXPECT_EQ(text, result["expected"].get<std::string>());
    }
  } catch (const TemplateError& refused) {
    ASSERT_TRUE(result.contains("error")) << refused.what();
    const std::string error = result["error"].get<std::string>();
    if (with_reason) {
      EXPECT_EQ(refused.reason(), error.substr(error.find(": ") + 2));
    }
  }
}

TEST(JinjaOracle, EveryRowComesOutAsJinja2RendersIt) {
  const auto rows = read("oracle_rows.json");
  ASSERT_GT(rows.size(), 500u);
  for (const auto& row : rows) {
    const std::string source = row.at("template").get<std::string>();
    const nlohmann::ordered_json request = {
        {"messages", nlohmann::ordered_json::array()},
        {"kwargs", row.value("context", nlohmann::ordered_json::object())},
        {"now", "2026-11-15T12:34:56"}};
    const Value context = chat_context(parse_json(request.dump()));
    SCOPED_TRACE(source);
    // The words of an error are ours where Python's say nothing to who writes templates.
    expect_result(
        row, [&] { return Template::parse(source).render(context); }, false);
  }
}

TEST(JinjaOracle, ChatTemplatesOfEveryStyleComeOutAsJinja2RendersThem) {
  const auto chats = read("oracle_chats.json");
  for (const auto& style : chats.at("styles")) {
    ChatTemplate chat;
    chat.source = style.at("template").get<std::string>();
    ASSERT_EQ(style.at("results").size(), chats.at("requests").size());
    for (const auto& [name, result] : style.at("results").items()) {
      SCOPED_TRACE(style.at("style").get<std::string>() + ": " + name);
      nlohmann::ordered_json request = chats.at("requests").at(name);
      request["now"] = "2026-11-15T12:34:56";
      expect_result(
          result, [&] { return render_chat(chat, parse_json(request.dump())); }, true);
    }
  }
}

}  // namespace
}  // namespace linnet::jinja
