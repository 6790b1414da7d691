// Source text to statements.
#pragma once

#include <map>
#include <string_view>

#include "text/jinja/options.h"
#include "text/jinja/statement.h"

namespace linnet::jinja {

using NamedBlocks = std::map<std::string, const NamedBlock*, std::less<>>;

struct ParsedTemplate {
  Block statements;
  NamedBlocks blocks;  // those of {% block %}, wherever among the statements
  bool uses_self = false;
};

// Throws TemplateError(model) with line and reason for what is no template.
[[nodiscard]] ParsedTemplate parse_template(std::string_view source, const Options& options);

}  // namespace linnet::jinja
