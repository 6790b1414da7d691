// For random_templates.py: reads lines that are requests (text/jinja/chat.h) with their "template" beside,
// and answers each with a line {"out": …} or {"error": …}.
#include <iostream>
#include <nlohmann/json.hpp>

#include "text/jinja/chat.h"
#include "text/jinja/json.h"

int main() {
  using namespace linnet;
  for (std::string line; std::getline(std::cin, line);) {
    nlohmann::ordered_json answer;
    try {
      const jinja::Value request = jinja::parse_json(line);
      ChatTemplate chat;
      chat.source = request.as_dict().find("template")->as_text();
      answer["out"] = jinja::render_chat(chat, request);
    } catch (const Error& error) {
      answer["error"] = error.what();
    }
    std::cout << answer.dump() << std::endl;
  }
}
