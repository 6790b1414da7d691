// Statements of a template: what the parser makes of {% … %} and how each is executed.
#pragma once

#include "text/jinja/expression.h"

namespace linnet::jinja {

class BoundedText;
class Scope;
struct Rendering;

// What happens after a statement: the next one, or the innermost loop ends or goes on.
enum class Flow : uint8_t { next, end_loop, next_iteration };

struct Statement {
  Statement() = default;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  virtual ~Statement() = default;
  [[nodiscard]] virtual Flow execute(Frame& frame) const = 0;

  int line = 0;
};
using StatementPtr = std::unique_ptr<Statement>;

struct Block {
  std::vector<StatementPtr> statements;
  std::vector<std::string> unset;  // variables that are undefined when the block begins: see symbols.h
};

// What can be assigned to: a name, namespace.attribute, or several of them that take a sequence apart.
struct Target {
  int line = 0;
  std::string name;
  std::string attribute;  // empty unless name is a namespace
  std::vector<Target> parts;
  bool is_tuple = false;
};

struct TextOutput : Statement {
  Flow execute(Frame& frame) const override;
  std::string text;
};

struct ValueOutput : Statement {
  Flow execute(Frame& frame) const override;
  ExpressionPtr value;
};

struct If : Statement {
  Flow execute(Frame& frame) const override;
  std::vector<std::pair<ExpressionPtr, Block>> branches;
  Block otherwise;
};

struct For : Statement {
  Flow execute(Frame& frame) const override;
  // One run over elements; depth > 0 for what loop(…) renders in a recursive loop.
  [[nodiscard]] Flow run(Frame& frame, const Value& elements, size_t depth) const;
  Target target;
  ExpressionPtr iterable;
  ExpressionPtr condition;  // of `for … if …`, or null
  Block body;
  Block otherwise;
  bool is_recursive = false;
  bool uses_loop = false;  // the variable `loop` occurs in the body
};

struct LoopControl : Statement {
  Flow execute(Frame&) const override { return flow; }
  Flow flow = Flow::next;
};

struct Set : Statement {
  Flow execute(Frame& frame) const override;
  Target target;
  ExpressionPtr value;
};

struct SetBlock : Statement {
  Flow execute(Frame& frame) const override;
  Target target;
  ExpressionPtr filtered;  // filters over CapturedText, or null
  Block body;
};

// The parameters and body of a macro or of a {% call %}.
struct MacroDefinition {
  struct Parameter {
    std::string name;
    ExpressionPtr default_value;  // or null
  };
  std::string name;
  std::vector<Parameter> parameters;
  Block body;
  // The special variables that the body mentions; others are refused in a call.
  bool uses_caller = false;
  bool uses_keywords = false;
  bool uses_varargs = false;
};

struct DefineMacro : Statement {
  Flow execute(Frame& frame) const override;
  MacroDefinition definition;
};

struct CallBlock : Statement {
  Flow execute(Frame& frame) const override;
  std::unique_ptr<Call> call;
  MacroDefinition caller;
};

struct FilterBlock : Statement {
  Flow execute(Frame& frame) const override;
  ExpressionPtr filtered;  // filters over CapturedText
  Block body;
};

struct With : Statement {
  Flow execute(Frame& frame) const override;
  std::vector<std::pair<Target, ExpressionPtr>> assignments;
  Block body;
};

// {% generation %}: a body with variables of its own.
struct ScopedBlock : Statement {
  Flow execute(Frame& frame) const override;
  Block body;
};

// {% block %}: rendered where it stands and by self.name(). It sees the variables of the whole template only,
// those around it if it is scoped.
struct NamedBlock : Statement {
  Flow execute(Frame& frame) const override;
  // context: what its variables are looked up in.
  void render(Rendering& rendering, const std::shared_ptr<Scope>& context, BoundedText& out) const;
  std::string name;
  bool is_scoped = false;
  bool is_required = false;  // of a template that extends this one
  bool uses_self = false;
  bool uses_super = false;
  Block body;
};

// include, import, from … import, extends: there is no other template to load, which is an error once it is
// reached.
struct LoadTemplate : Statement {
  Flow execute(Frame& frame) const override;
  std::string tag;
  ExpressionPtr source;  // names of templates
  bool may_be_missing = false;
  std::vector<Target> names;  // that it would assign
};

}  // namespace linnet::jinja
