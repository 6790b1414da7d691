// {% macro %} and {% call %}: bodies that are called with arguments and return what they print.
#include <algorithm>

#include "text/jinja/frame.h"
#include "text/jinja/object.h"
#include "text/jinja/protocol.h"

namespace linnet::jinja {
namespace {

class Macro : public Object {
 public:
  Macro(const MacroDefinition& definition, const Frame& frame)
      : definition_(definition),
        rendering_(frame.rendering),
        scope_(frame.scope),
        charge_(frame.budget(), sizeof(Macro) + 64) {}

  [[nodiscard]] std::string_view type_name() const override { return "Macro"; }
  [[nodiscard]] std::string print(Budget&) const override {
    return concat("<Macro '", definition_.name, "'>");
  }
  [[nodiscard]] bool is_callable() const override { return true; }

  [[nodiscard]] Value call(Arguments arguments, Budget& budget) override {
    const DepthGuard guard(budget);
    BoundedText out(budget);
    InnerFrame frame(rendering_, std::make_shared<Scope>(scope_), out);
    bind(*frame, std::move(arguments));
    (void)frame->run(definition_.body);
    return make_text(budget, out.take());
  }

  [[nodiscard]] std::optional<Value> attribute(std::string_view name, Budget& budget) override {
    if (name == "name") return make_text(budget, definition_.name);
    if (name == "caller") return Value::boolean(definition_.uses_caller);
    if (name == "catch_kwargs") return Value::boolean(definition_.uses_keywords);
    if (name == "catch_varargs") return Value::boolean(definition_.uses_varargs);
    if (name != "arguments") return std::nullopt;
    Values names;
    for (const auto& parameter : definition_.parameters) names.push_back(make_text(budget, parameter.name));
    return make_tuple(budget, std::move(names));
  }

 private:
  // Takes the keyword argument of that name out.
  [[nodiscard]] std::optional<Value> take_keyword(Arguments& arguments, std::string_view name) const {
    auto& keywords = arguments.keywords;
    rendering_.budget.spend(keywords.size() / 4);
    const auto found =
        std::find_if(keywords.begin(), keywords.end(), [&](const auto& k) { return k.first == name; });
    if (found == keywords.end()) return std::nullopt;
    Value value = std::move(found->second);
    keywords.erase(found);
    return value;
  }

  void bind(Frame& frame, Arguments arguments) const {
    const auto& parameters = definition_.parameters;
    std::vector<std::optional<Value>> values(parameters.size());
    const size_t given = std::min(arguments.positional.size(), parameters.size());
    for (size_t i = 0; i < given; ++i) values[i] = arguments.positional[i];
    for (size_t i = given; i < parameters.size(); ++i)
      values[i] = take_keyword(arguments, parameters[i].name);
    bind_special(frame, arguments);
    for (size_t i = 0; i < parameters.size(); ++i) {
      const std::string& name = parameters[i].name;
      frame.define(name, values[i] ? *values[i] : frame.undefined(name));
    }
    // Defaults come last: they see the arguments, and each other from left to right.
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (values[i]) continue;
      const std::string& name = parameters[i].name;
      if (parameters[i].default_value) {
        frame.define(name, frame.evaluate(*parameters[i].default_value));
      } else {
        frame.define(name, make_undefined(frame.budget(), concat("parameter '", name, "' was not provided")));
      }
    }
  }

  void bind_special(Frame& frame, Arguments& arguments) const {
    Budget& budget = frame.budget();
    const size_t parameters = definition_.parameters.size();
    if (definition_.uses_caller) {
      std::optional<Value> caller = take_keyword(arguments, "caller");
      frame.define("caller", caller ? *caller : make_undefined(budget, "No caller defined"));
    }
    if (definition_.uses_keywords) {
      Dict keywords;
      for (auto& [name, value] : arguments.keywords)
        keywords.set(make_text(budget, name), std::move(value), budget);
      frame.define("kwargs", make_dict(budget, std::move(keywords)));
    } else if (!arguments.keywords.empty()) {
      raise("macro '", definition_.name, "' takes no keyword argument '", arguments.keywords[0].first, "'");
    }
    if (definition_.uses_varargs) {
      const size_t named = std::min(parameters, arguments.positional.size());
      Values rest(arguments.positional.begin() + static_cast<ptrdiff_t>(named), arguments.positional.end());
      frame.define("varargs", make_tuple(budget, std::move(rest)));
    } else if (arguments.positional.size() > parameters) {
      raise("macro '", definition_.name, "' takes not more than ", parameters, " argument(s)");
    }
  }

  const MacroDefinition& definition_;
  Rendering& rendering_;
  std::shared_ptr<Scope> scope_;
  Charge charge_;
};

}  // namespace

Flow DefineMacro::execute(Frame& frame) const {
  frame.define(definition.name, Value::object(std::make_shared<Macro>(definition, frame)));
  return Flow::next;
}

Flow CallBlock::execute(Frame& frame) const {
  const Value body = Value::object(std::make_shared<Macro>(caller, frame));
  append_only_text(frame.out, call->evaluate_with_caller(frame, &body));
  return Flow::next;
}

}  // namespace linnet::jinja
