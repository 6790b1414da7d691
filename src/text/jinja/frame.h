// Where a statement runs: the variables it sees and the text it writes to.
#pragma once

#include "text/jinja/dict.h"
#include "text/jinja/parser.h"
#include "text/jinja/print.h"
#include "text/jinja/statement.h"

namespace linnet::jinja {

// Variables of the template, of one pass through a loop, or of a macro call. Macros and generators may hold
// one beyond its end, as closures.
class Scope : public Holder {
 public:
  // Of a block, what is outside counts only once it has been assigned: see unset().
  enum class Kind : uint8_t { plain, block };
  explicit Scope(std::shared_ptr<Scope> parent, Kind kind = Kind::plain)
      : parent_(std::move(parent)), kind_(kind) {}

  // The variable here or in the nearest scope around; null if none.
  [[nodiscard]] const Value* find(std::string_view name, Budget& budget) const;
  void set(std::string_view name, Value value, Budget& budget);
  // Hides a variable of that name from the scopes inside until it is assigned; blocks still see the one
  // outside.
  void unset(std::string_view name, Value undefined, Budget& budget);
  void release() noexcept override { variables_.clear(); }

 private:
  friend std::shared_ptr<Scope> context_of(const std::shared_ptr<Scope>& scope);
  struct Variable {
    std::string_view name;  // lives in the parsed template
    Value value;
    bool is_assigned;
  };
  void put(Variable variable, Budget& budget);

  std::shared_ptr<Scope> parent_;
  Kind kind_;
  std::vector<Variable> variables_;
};

// The scope that a block inside this one sees: the template's, or what the block around was rendered with.
[[nodiscard]] std::shared_ptr<Scope> context_of(const std::shared_ptr<Scope>& scope);

// What is the same for the whole rendering.
struct Rendering {
  Budget& budget;
  const Dict& context;  // the caller's variables
  const Dict& globals;  // range, namespace, …
  const NamedBlocks& blocks;
  int line = 1;  // being evaluated, for messages
};

struct Frame {
  Rendering& rendering;
  std::shared_ptr<Scope> scope;
  BoundedText& out;
  Value captured;  // what CapturedText is

  [[nodiscard]] Budget& budget() const { return rendering.budget; }

  // Evaluates under the limits of steps and depth.
  [[nodiscard]] Value evaluate(const Expression& expression);
  [[nodiscard]] bool is_true(const Expression& condition);
  [[nodiscard]] Flow run(const Block& block);

  [[nodiscard]] Value lookup(std::string_view name);
  [[nodiscard]] Value undefined(std::string_view name) const;
  // Sets a variable of this scope.
  void define(std::string_view name, Value value) { scope->set(name, std::move(value), budget()); }
  void assign(const Target& target, const Value& value);
  // Raises unless every namespace.attribute in target can be assigned to.
  void require_namespaces(const Target& target);
};

// For filter and call blocks, whose value is not converted: an error unless it is a text.
void append_only_text(BoundedText& out, const Value& value);

// A frame with variables of its own. At its end the scope goes, unless a closure has kept it.
class InnerFrame {
 public:
  InnerFrame(const Frame& outer, BoundedText& out);
  // With a scope that nobody else has.
  InnerFrame(Rendering& rendering, std::shared_ptr<Scope> scope, BoundedText& out);
  InnerFrame(const InnerFrame&) = delete;
  InnerFrame& operator=(const InnerFrame&) = delete;
  ~InnerFrame();

  Frame* operator->() { return &frame_; }
  Frame& operator*() { return frame_; }

 private:
  Frame frame_;
};

}  // namespace linnet::jinja
