// Which variables a block hides from those inside it. Jinja settles by the source alone where each variable
// of a scope begins (jinja2/idtracking.py): one that the scope assigns before it mentions it in any other way
// is undefined until then, also for the scopes inside, even if the caller gave a variable of that name:
//   {% for i in l %}{{ x }}{% endfor %}{% set x = 1 %}          prints nothing for x
//   {{ x }}{% for i in l %}{{ x }}{% endfor %}{% set x = 1 %}   prints the caller's
// An assignment under a condition hides nothing. The parser notes what it sees, in its order.
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/jinja/statement.h"

namespace linnet::jinja {

class Symbols {
 public:
  Symbols() = default;
  Symbols(const Symbols&) = delete;
  Symbols& operator=(const Symbols&) = delete;

  // Mentions of a variable in the current scope. The names must live until resolve().
  void load(std::string_view name) { mention(name, false); }
  void store(std::string_view name) { mention(name, scopes_.back()->conditions == 0); }
  void parameter(std::string_view name) { mention(name, false); }

  // A scope inside the current one. Its statements come to lie in a Block that stays where it is; null if it
  // assigns nothing.
  void begin_scope(Block* body);
  // The same for a block, which is not inside in this sense: what it mentions is looked up when it is
  // rendered.
  void begin_detached_scope(Block* body);
  void end_scope() { scopes_.pop_back(); }
  [[nodiscard]] bool is_outermost() const { return scopes_.size() == 1; }
  // The current scope has this variable from its beginning, whatever it does to it later.
  void declare(std::string_view name) { scopes_.back()->assigned_first.insert_or_assign(name, false); }
  // What is between them may not happen.
  void begin_condition() { ++scopes_.back()->conditions; }
  void end_condition() { --scopes_.back()->conditions; }

  // Once, when the whole template has been noted; body: that of the outermost scope.
  void resolve(Block& body);

 private:
  struct Scope {
    Block* body = nullptr;
    int conditions = 0;
    std::unordered_map<std::string_view, bool> assigned_first;  // for each name that is mentioned
    std::vector<std::unique_ptr<Scope>> inner;
  };
  // What is known of a name outside of the scope that is looked at.
  struct Outside {
    size_t scopes = 0;    // around it that mention the name
    size_t mentions = 0;  // by scopes inside those
  };

  void mention(std::string_view name, bool is_assigned) {
    scopes_.back()->assigned_first.try_emplace(name, is_assigned);
  }
  void resolve(const Scope& scope);

  Scope outermost_;
  std::vector<std::unique_ptr<Scope>> detached_;
  std::vector<Scope*> scopes_{&outermost_};  // those around the current place
  std::unordered_map<std::string_view, Outside> outside_;
};

}  // namespace linnet::jinja
