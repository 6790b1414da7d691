// Any text as a chat template over a fixed conversation, or over the request that follows a zero byte:
// rendered or refused with the right error, nothing else, and within its limits of steps, memory and output.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "target.h"
#include "text/jinja/chat.h"
#include "text/jinja/failure.h"
#include "text/jinja/json.h"
#include "text/jinja/object.h"
#include "text/jinja/template.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

[[nodiscard]] Options small_limits() {
  Options options;
  options.max_source = 1 << 16;
  options.max_steps = 20'000;
  options.max_memory = size_t{8} << 20;
  options.max_output = size_t{1} << 20;
  options.max_depth = 500;
  return options;
}

[[nodiscard]] Value message(const char* role, const char* content) {
  Dict entries;
  entries.set("role", Value::text(role));
  entries.set("content", Value::text(content));
  return Value::dict(std::move(entries));
}

// Something of every kind, under short names that a mutation finds.
[[nodiscard]] Value context() {
  Dict entries;
  entries.set("messages",
              Value::list({message("system", "Be brief."), message("user", "Hé 東京 🙂\n")}));
  entries.set("tools", Value::none());
  entries.set("s", Value::text("Hello World"));
  entries.set("b", Value::text("\xFF broken \xE6\x9D"));
  entries.set("l", Value::list({Value::integer(3), Value::floating(0.5), Value::text("x"), Value::none()}));
  entries.set("d", message("a", "b"));
  entries.set("t", Value::tuple({Value::boolean(true), Value::integer(-1)}));
  entries.set("n", Value::integer(7));
  entries.set("f", host_function("f", [](Arguments arguments, Budget& budget) {
                return make_list(budget, std::move(arguments.positional));
              }));
  return Value::dict(std::move(entries));
}

void render(std::string_view source, const Value& variables) {
  static const Options kOptions = small_limits();
  Template::Usage usage;
  try {
    const std::string text = Template::parse(source, kOptions).render(variables, usage);
    FUZZ_CHECK(text.size() <= kOptions.max_output);
  } catch (const TemplateError& error) {
    FUZZ_CHECK(error.line() >= 1);
    FUZZ_CHECK(!error.reason().empty() || source.find("raise_exception") != std::string_view::npos);
  }
  FUZZ_CHECK(usage.steps <= kOptions.max_steps);
  FUZZ_CHECK(usage.peak_memory <= kOptions.max_memory);
}

void run(std::string_view input) {
  static const Value kContext = context();
  const size_t end = input.find('\0');
  if (end == std::string_view::npos) return render(input, kContext);
  try {
    render(input.substr(0, end), chat_context(parse_json(input.substr(end + 1))));
  } catch (const Error& error) {
    FUZZ_CHECK(error.kind() == ErrorKind::usage);  // no such request
  }
}

}  // namespace
}  // namespace linnet::jinja

void linnet::fuzz::check_input(std::string_view input) {
  jinja::run(input);
}
