#include "text/jinja/symbols.h"

namespace linnet::jinja {

void Symbols::begin_scope(Block* body) {
  auto& inner = scopes_.back()->inner;
  inner.push_back(std::make_unique<Scope>());
  inner.back()->body = body;
  scopes_.push_back(inner.back().get());
}

void Symbols::begin_detached_scope(Block* body) {
  detached_.push_back(std::make_unique<Scope>());
  detached_.back()->body = body;
  scopes_.push_back(detached_.back().get());
}

void Symbols::resolve(Block& body) {
  outermost_.body = &body;
  resolve(outermost_);
  for (const auto& block : detached_) resolve(*block);
}

void Symbols::resolve(const Scope& scope) {
  std::vector<std::pair<std::string_view, size_t>> hidden;  // with the mentions inside so far
  for (const auto& [name, assigned_first] : scope.assigned_first) {
    Outside& outside = outside_[name];
    if (outside.scopes > 0) {
      ++outside.mentions;  // a scope around has it: it begins there
    } else if (assigned_first) {
      hidden.emplace_back(name, outside.mentions);
    }
    ++outside.scopes;
  }
  for (const auto& inner : scope.inner) resolve(*inner);
  // In the scope itself the assignment comes first: hiding matters only if a scope inside mentions the name.
  for (const auto& [name, mentions_before] : hidden) {
    if (outside_[name].mentions > mentions_before) scope.body->unset.emplace_back(name);
  }
  for (const auto& [name, assigned_first] : scope.assigned_first) --outside_[name].scopes;
}

}  // namespace linnet::jinja
