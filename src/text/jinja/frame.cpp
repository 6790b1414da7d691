#include "text/jinja/frame.h"

#include "text/jinja/namespace.h"
#include "text/jinja/protocol.h"

namespace linnet::jinja {

const Value* Scope::find(std::string_view name, Budget& budget) const {
  size_t looked_at = 0;
  const Value* found = nullptr;
  for (const Scope* scope = this; scope && !found; scope = scope->parent_.get()) {
    looked_at += scope->variables_.size() + 1;
    for (const auto& [variable, value] : scope->variables_) {
      if (variable == name) {
        found = &value;
        break;
      }
    }
  }
  budget.spend(looked_at / 16);
  return found;
}

void Scope::set(std::string_view name, Value value, Budget& budget) {
  budget.spend(variables_.size() / 16);
  for (auto& [variable, current] : variables_) {
    if (variable == name) {
      current = std::move(value);
      return;
    }
  }
  variables_.emplace_back(name, std::move(value));
}

Value Frame::evaluate(const Expression& expression) {
  const DepthGuard guard(budget());
  budget().spend();
  rendering.line = expression.line;
  return expression.evaluate(*this);
}

bool Frame::is_true(const Expression& condition) {
  return is_truthy(evaluate(condition), budget());
}

Flow Frame::run(const Block& block) {
  const DepthGuard guard(budget());
  for (const std::string& name : block.unset) define(name, undefined(name));
  for (const StatementPtr& statement : block.statements) {
    budget().spend();
    rendering.line = statement->line;
    const Flow flow = statement->execute(*this);
    if (flow != Flow::next) return flow;
  }
  return Flow::next;
}

Value Frame::lookup(std::string_view name) {
  if (const Value* variable = scope->find(name, budget())) return *variable;
  if (const Value* given = rendering.context.find(name)) return *given;
  if (const Value* global = rendering.globals.find(name)) return *global;
  return undefined(name);
}

Value Frame::undefined(std::string_view name) const {
  return make_undefined(budget(), concat("'", name, "' is undefined"));
}

void Frame::assign(const Target& target, const Value& value) {
  budget().spend();
  if (target.is_tuple) {
    const Values items = to_items(value, budget());
    const size_t wanted = target.parts.size();
    if (items.size() < wanted) {
      raise("not enough values to unpack (expected ", wanted, ", got ", items.size(), ")");
    }
    if (items.size() > wanted) raise("too many values to unpack (expected ", wanted, ")");
    for (size_t i = 0; i < wanted; ++i) assign(target.parts[i], items[i]);
  } else if (target.attribute.empty()) {
    define(target.name, value);
  } else {
    lookup(target.name).object_as<Namespace>()->set(target.attribute, value);
  }
}

void Frame::require_namespaces(const Target& target) {
  for (const Target& part : target.parts) require_namespaces(part);
  if (!target.attribute.empty() && !lookup(target.name).object_as<Namespace>()) {
    raise("cannot assign attribute on non-namespace object");
  }
}

InnerFrame::InnerFrame(const Frame& outer, BoundedText& out)
    : InnerFrame(outer.rendering, outer.scope, out) {}

InnerFrame::InnerFrame(Rendering& rendering, std::shared_ptr<Scope> parent, BoundedText& out)
    : frame_{rendering, std::make_shared<Scope>(std::move(parent)), out, {}} {}

InnerFrame::~InnerFrame() {
  frame_.budget().keep_if_shared(std::move(frame_.scope));
}

}  // namespace linnet::jinja
