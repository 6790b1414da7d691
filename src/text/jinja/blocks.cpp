// {% block %} and `self`, and the statements that would need a second template.
#include "text/jinja/blocks.h"

#include "text/jinja/object.h"
#include "text/jinja/parameters.h"
#include "text/jinja/protocol.h"

namespace linnet::jinja {
namespace {

// self.name: prints the block when it is called.
class BlockReference : public Object {
 public:
  BlockReference(const NamedBlock& block, Rendering& rendering, std::shared_ptr<Scope> context)
      : block_(block),
        rendering_(rendering),
        context_(std::move(context)),
        charge_(rendering.budget, sizeof(BlockReference) + 64) {}

  [[nodiscard]] std::string_view type_name() const override { return "BlockReference"; }
  [[nodiscard]] bool is_callable() const override { return true; }
  [[nodiscard]] Value call(Arguments arguments, Budget& budget) override {
    require_no_arguments("BlockReference", arguments);
    const DepthGuard guard(budget);
    BoundedText out(budget);
    block_.render(rendering_, context_, out);
    return make_text(budget, out.take());
  }
  [[nodiscard]] std::optional<Value> attribute(std::string_view name, Budget& budget) override {
    if (name == "name") return make_text(budget, block_.name);
    if (name == "super") return no_parent(block_, budget);
    return std::nullopt;
  }
  [[nodiscard]] static Value no_parent(const NamedBlock& block, Budget& budget) {
    return make_undefined(budget, concat("there is no parent block called '", block.name, "'."));
  }

 private:
  const NamedBlock& block_;
  Rendering& rendering_;
  std::shared_ptr<Scope> context_;
  Charge charge_;
};

class TemplateReference : public Object {
 public:
  TemplateReference(Rendering& rendering, std::shared_ptr<Scope> context)
      : rendering_(rendering),
        context_(std::move(context)),
        charge_(rendering.budget, sizeof(TemplateReference) + 64) {}

  [[nodiscard]] std::string_view type_name() const override { return "TemplateReference"; }
  [[nodiscard]] std::string print(Budget&) const override { return "<TemplateReference None>"; }
  [[nodiscard]] std::optional<Value> attribute(std::string_view name, Budget&) override {
    const auto found = rendering_.blocks.find(name);
    if (found == rendering_.blocks.end()) return std::nullopt;
    return Value::object(std::make_shared<BlockReference>(*found->second, rendering_, context_));
  }
  [[nodiscard]] std::optional<Value> item(const Value& key, Budget& budget) override {
    return key.is_text() ? attribute(key.as_text(), budget) : std::nullopt;
  }

 private:
  Rendering& rendering_;
  std::shared_ptr<Scope> context_;
  Charge charge_;
};

}  // namespace

Value make_self(Rendering& rendering, std::shared_ptr<Scope> context) {
  return Value::object(std::make_shared<TemplateReference>(rendering, std::move(context)));
}

void NamedBlock::render(Rendering& rendering, const std::shared_ptr<Scope>& context, BoundedText& out) const {
  InnerFrame inner(rendering, std::make_shared<Scope>(context, Scope::Kind::block), out);
  if (uses_self) inner->define("self", make_self(rendering, context));
  if (uses_super) inner->define("super", BlockReference::no_parent(*this, rendering.budget));
  (void)inner->run(body);
}

Flow NamedBlock::execute(Frame& frame) const {
  if (is_required) raise("Required block '", name, "' not found");
  render(frame.rendering, is_scoped ? frame.scope : context_of(frame.scope), frame.out);
  return Flow::next;
}

Flow LoadTemplate::execute(Frame& frame) const {
  const Value wanted = frame.evaluate(*source);
  frame.rendering.line = line;
  if (tag == "include" && !wanted.is_text() && !wanted.is_undefined()) {
    // A list of names of which the first that exists is taken: without any, none of them is.
    if (to_items(wanted, frame.budget()).empty()) {
      if (may_be_missing) return Flow::next;
      raise("Tried to select from an empty list of templates");
    }
  }
  raise("no loader for this environment specified: a chat template is one file, so '", tag,
        "' has nothing to load");
}

}  // namespace linnet::jinja
