#include "text/jinja/chat.h"

#include "text/jinja/object.h"
#include "text/jinja/parameters.h"
#include "text/jinja/protocol.h"
#include "text/jinja/strftime.h"

namespace linnet::jinja {
namespace {

// The member if it is there and of that kind, null if it is absent or null itself.
[[nodiscard]] const Value* find_member(const Dict& request, std::string_view name, Kind kind,
                                       std::string_view expected) {
  const Value* value = request.find(name);
  if (!value || value->is_none()) return nullptr;
  if (!value->is(kind))
    fail(ErrorKind::usage, "[template] ", name, ": expected ", expected, ", got ", type_name(*value));
  return value;
}

[[nodiscard]] Value strftime_now(const Dict& request) {
  const Value* given = find_member(request, "now", Kind::text, "a string");
  const DateTime now = given ? parse_date_time(given->as_text()) : local_time_now();
  return host_function("strftime_now", [now](Arguments arguments, Budget& budget) {
    const Parameters parameters("strftime_now", std::move(arguments), {"format"}, 1);
    return make_text(budget, format_date_time(now, parameters.text(0), budget));
  });
}

[[nodiscard]] bool is_of_the_request(std::string_view name) {
  return name == "messages" || name == "tools" || name == "documents" || name == "kwargs" || name == "now";
}

[[nodiscard]] const Dict& dict_of(const Value& request) {
  if (!request.is_dict())
    fail(ErrorKind::usage, "[template] request: expected an object, got ", type_name(request));
  return request.as_dict();
}

}  // namespace

Value chat_context(const Value& request_value) {
  const Dict& request = dict_of(request_value);
  const Value* messages = find_member(request, "messages", Kind::list, "an array");
  if (!messages) fail(ErrorKind::usage, "[template] messages: expected an array, got nothing");
  Dict context;
  context.set("strftime_now", strftime_now(request));
  context.set("add_generation_prompt", Value::boolean(true));
  for (const Dict::Entry& entry : request.entries()) {
    const std::string& name = entry.key.as_text();
    if (name.ends_with("_token")) context.set(name, entry.value);
  }
  if (const Value* kwargs = find_member(request, "kwargs", Kind::dict, "an object")) {
    for (const Dict::Entry& entry : kwargs->as_dict().entries()) {
      const std::string& name = entry.key.as_text();
      if (is_of_the_request(name))
        fail(ErrorKind::usage, "[template] kwargs: ", name, " belongs beside kwargs");
      context.set(name, entry.value);
    }
  }
  context.set("messages", *messages);
  for (const char* name : {"tools", "documents"}) {
    const Value* given = request.find(name);
    context.set(name, given ? *given : Value::none());
  }
  return Value::dict(std::move(context));
}

std::string render_chat(const ChatTemplate& chat, const Value& request_value, const Options& options) {
  Dict request;
  if (chat.bos_token) request.set("bos_token", Value::text(*chat.bos_token));
  if (chat.eos_token) request.set("eos_token", Value::text(*chat.eos_token));
  for (const Dict::Entry& entry : dict_of(request_value).entries())
    request.set(entry.key.as_text(), entry.value);
  const Value* tools = request.find("tools");
  const bool with_tools = tools && !tools->is_none();
  return Template::parse(chat.source_for(with_tools), options)
      .render(chat_context(Value::dict(std::move(request))));
}

}  // namespace linnet::jinja
