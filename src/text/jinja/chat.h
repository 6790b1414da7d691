// A conversation through a chat template: what transformers' apply_chat_template(tokenize=False) returns.
#pragma once

#include <string>

#include "text/chat_template.h"
#include "text/jinja/template.h"

namespace linnet::jinja {

// The variables of a template for a request
//   {"messages": […], "tools": […], "documents": […], "kwargs": {…}, "bos_token": "…", "eos_token": "…",
//   "now": "…"}
// Only messages must be there. Tools and documents that are absent are none; add_generation_prompt is true
// unless kwargs says otherwise; now (ISO 8601) is what strftime_now prints, else the local time. Throws
// Error(usage) for what is no such request.
[[nodiscard]] Value chat_context(const Value& request);

// The request through the template that the model has for it; the model's tokens stand in for those that the
// request leaves out. Throws TemplateError for what the template refuses.
[[nodiscard]] std::string render_chat(const ChatTemplate& chat, const Value& request,
                                      const Options& options = {});

}  // namespace linnet::jinja
