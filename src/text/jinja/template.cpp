#include "text/jinja/template.h"

#include "text/jinja/blocks.h"
#include "text/jinja/frame.h"
#include "text/jinja/globals.h"
#include "text/jinja/parser.h"
#include "text/jinja/protocol.h"

namespace linnet::jinja {

struct Template::Parsed {
  Options options;
  ParsedTemplate source;
  Dict globals;
};

Template Template::parse(std::string_view source, const Options& options) {
  return Template(
      std::make_shared<const Parsed>(Parsed{options, parse_template(source, options), make_globals()}));
}

std::string Template::render(const Value& context) const {
  Usage usage;
  return render(context, usage);
}

std::string Template::render(const Value& context, Usage& usage) const {
  if (!context.is_dict())
    fail(ErrorKind::usage, "[template] context: expected a dict, got ", type_name(context));
  Budget budget(parsed_->options);
  Rendering rendering{budget, context.as_dict(), parsed_->globals, parsed_->source.blocks};
  const auto note_usage = [&] { usage = {budget.steps_used(), budget.peak_memory()}; };
  try {
    BoundedText out(budget);
    InnerFrame frame(rendering, std::make_shared<Scope>(nullptr), out);
    if (parsed_->source.uses_self) frame->define("self", make_self(rendering, frame->scope));
    (void)frame->run(parsed_->source.statements);
    note_usage();
    return out.take();
  } catch (const Failure& failure) {
    note_usage();
    throw TemplateError(ErrorKind::usage, rendering.line, failure.what());
  }
}

}  // namespace linnet::jinja
