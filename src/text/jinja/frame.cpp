#include "text/jinja/frame.h"

#include "text/jinja/namespace.h"
#include "text/jinja/protocol.h"

namespace linnet::jinja {

const Value* Scope::find(std::string_view name, Budget& budget) const {
  size_t looked_at = 0;
  const Value* found = nullptr;
  bool must_be_assigned = false;
  for (const Scope* scope = this; scope && !found; scope = scope->parent_.get()) {
    looked_at += scope->variables_.size() + 1;
    for (const Variable& variable : scope->variables_) {
      if (variable.name == name) {
        if (variable.is_assigned || !must_be_assigned) found = &variable.value;
        break;
      }
    }
    must_be_assigned |= scope->kind_ == Kind::block;
  }
  budget.spend(looked_at / 16);
  return found;
}

void Scope::set(std::string_view name, Value value, Budget& budget) {
  put({name, std::move(value), true}, budget);
}

void Scope::unset(std::string_view name, Value undefined, Budget& budget) {
  put({name, std::move(undefined), false}, budget);
}

void Scope::put(Variable variable, Budget& budget) {
  budget.spend(variables_.size() / 16);
  for (Variable& current : variables_) {
    if (current.name == variable.name) {
      current = std::move(variable);
      return;
    }
  }
  variables_.push_back(std::move(variable));
}

std::shared_ptr<Scope> context_of(const std::shared_ptr<Scope>& scope) {
  std::shared_ptr<Scope> outermost = scope;
  while (outermost->parent_ && outermost->kind_ != Scope::Kind::block) outermost = outermost->parent_;
  return outermost->kind_ == Scope::Kind::block ? outermost->parent_ : outermost;
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
  for (const std::string& name : block.unset) scope->unset(name, undefined(name), budget());
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
    : InnerFrame(outer.rendering, std::make_shared<Scope>(outer.scope), out) {}

InnerFrame::InnerFrame(Rendering& rendering, std::shared_ptr<Scope> scope, BoundedText& out)
    : frame_{rendering, std::move(scope), out, {}} {}

InnerFrame::~InnerFrame() {
  frame_.budget().keep_if_shared(std::move(frame_.scope));
}

}  // namespace linnet::jinja
