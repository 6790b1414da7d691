// Source text to statements.
#pragma once

#include <string_view>

#include "text/jinja/options.h"
#include "text/jinja/statement.h"

namespace linnet::jinja {

// Throws TemplateError(model) with line and reason for what is no template.
[[nodiscard]] Block parse_template(std::string_view source, const Options& options);

}  // namespace linnet::jinja
