#include "text/jinja/parser.h"

#include "text/jinja/statement_parser.h"

namespace linnet::jinja {

ParsedTemplate StatementParser::parse() {
  ParsedTemplate parsed;
  parsed.statements = parse_block_until({});
  expressions_.refuse_unknown(0);
  parsed.uses_self = expressions_.seen.self;
  if (parsed.uses_self) symbols_.declare("self");
  symbols_.resolve(parsed.statements);
  parsed.blocks = std::move(blocks_);
  return parsed;
}

ParsedTemplate parse_template(std::string_view source, const Options& options) {
  if (source.size() > options.max_source) {
    throw TemplateError(ErrorKind::model, 1,
                        concat("a template of more than ", options.max_source, " bytes"));
  }
  return StatementParser(source, options).parse();
}

}  // namespace linnet::jinja
