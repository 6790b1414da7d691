// A Jinja template: parsed once, rendered with different contexts. The language is what transformers'
// apply_chat_template renders: Jinja in its immutable sandbox with trim_blocks and lstrip_blocks, loop
// controls and generation blocks.
//
// Goals: the same text byte for byte, or an error with line and reason; bounded time and memory for any
// template. Not goals: templates of several files (include, import, extends: an error where they are reached,
// as without a loader in Jinja2), automatic HTML escaping.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "text/jinja/dict.h"
#include "text/jinja/options.h"
#include "text/jinja/value.h"

namespace linnet::jinja {

class Template {
 public:
  // Throws TemplateError(model).
  [[nodiscard]] static Template parse(std::string_view source, const Options& options = {});

  // context: a dict of the variables. Throws TemplateError(usage): the template is valid, but not with this.
  // Can be called from several threads at once.
  [[nodiscard]] std::string render(const Value& context) const;

  struct Usage {
    uint64_t steps = 0;
    size_t peak_memory = 0;  // bytes of values alive at one time
  };
  // As above, and says what it took, also if it throws.
  [[nodiscard]] std::string render(const Value& context, Usage& usage) const;

 private:
  struct Parsed;
  explicit Template(std::shared_ptr<const Parsed> parsed) : parsed_(std::move(parsed)) {}

  std::shared_ptr<const Parsed> parsed_;
};

}  // namespace linnet::jinja
