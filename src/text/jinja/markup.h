// Texts that `safe` and `escape` have marked as HTML. Nothing is escaped automatically in a chat template,
// but what is added to a marked text is: "<b>"|safe + "<" is "<b>&lt;", and published templates run into it.
#pragma once

#include "text/jinja/methods.h"
#include "text/jinja/value.h"

namespace linnet::jinja {

[[nodiscard]] std::string escape_html(std::string_view text, Budget& budget);
// The value as a marked text: one that is marked already stays as it is.
[[nodiscard]] Value escape_value(const Value& value, Budget& budget);

// Calls a method of str. On a marked text, what comes into it is escaped and what is returned is marked.
[[nodiscard]] Value call_text_method(std::string_view name, Method method, const Value& self,
                                     Arguments arguments, Budget& budget);

}  // namespace linnet::jinja
