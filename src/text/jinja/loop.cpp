#include "text/jinja/loop.h"

#include "text/jinja/numbers.h"
#include "text/jinja/protocol.h"

namespace linnet::jinja {
namespace {

class ItemsIterator : public Iterator {
 public:
  explicit ItemsIterator(Values items) : items_(std::move(items)) {}
  std::optional<Value> next() override {
    return at_ < items_.size() ? std::optional(items_[at_++]) : std::nullopt;
  }

 private:
  Values items_;
  size_t at_ = 0;
};

// The elements for which the condition of `for … if …` holds, tested as late as Jinja tests them.
class ConditionIterator : public Iterator {
 public:
  ConditionIterator(std::shared_ptr<Iterator> elements, const For& loop, const Frame& outer)
      : elements_(std::move(elements)), loop_(loop), rendering_(outer.rendering), scope_(outer.scope) {}

  std::optional<Value> next() override {
    while (std::optional<Value> element = elements_->next()) {
      BoundedText nothing(rendering_.budget);
      InnerFrame test(rendering_, scope_, nothing);
      test->assign(loop_.target, *element);
      if (test->is_true(*loop_.condition)) return element;
    }
    return std::nullopt;
  }

 private:
  std::shared_ptr<Iterator> elements_;
  const For& loop_;
  Rendering& rendering_;
  std::shared_ptr<Scope> scope_;
};

struct LoopOwner {
  Budget& budget;
  std::shared_ptr<Loop> loop;
  ~LoopOwner() {
    if (loop) budget.keep_if_shared(std::move(loop));
  }
};

}  // namespace

Loop::Loop(Value iterable, std::shared_ptr<Iterator> elements, size_t depth, Recurse recurse, Budget& budget)
    : iterable_(std::move(iterable)),
      elements_(std::move(elements)),
      recurse_(std::move(recurse)),
      depth_(depth),
      charge_(budget, sizeof(Loop) + 64) {}

std::optional<Value> Loop::advance() {
  std::optional<Value> element = has_peeked_ ? std::exchange(after_, std::nullopt) : next();
  has_peeked_ = false;
  if (!element) return element;
  ++index_;
  before_ = std::exchange(current_, element);
  return element;
}

std::optional<Value> Loop::next() {
  return elements_ ? elements_->next() : std::nullopt;
}

const std::optional<Value>& Loop::peek() {
  if (!has_peeked_) after_ = next();
  has_peeked_ = true;
  return after_;
}

std::optional<size_t> Loop::length(Budget& budget) {
  if (length_) return length_;
  length_ = length_of(iterable_, budget);
  if (!length_) {  // a generator, or filtered: run through it once
    Values rest;
    while (std::optional<Value> element = next()) {
      if (rest.size() == rest.capacity()) budget.prepare_elements(rest.size() + 1, 2 * sizeof(Value));
      rest.push_back(std::move(*element));
    }
    length_ = rest.size() + static_cast<size_t>(index_ + 1) + (has_peeked_ && after_ ? 1 : 0);
    elements_ = std::make_shared<ItemsIterator>(std::move(rest));
  }
  return length_;
}

std::string Loop::print(Budget& budget) const {
  const std::optional<size_t> count = const_cast<Loop*>(this)->length(budget);
  return concat("<LoopContext ", integer_to_text(index_ + 1), "/", *count, ">");
}

std::optional<Value> Loop::attribute(std::string_view name, Budget& budget) {
  const auto counted = [&] { return static_cast<Integer>(*length(budget)); };
  if (name == "index") return Value::integer(index_ + 1);
  if (name == "index0") return Value::integer(index_);
  if (name == "first") return Value::boolean(index_ == 0);
  if (name == "last") return Value::boolean(!peek());
  if (name == "length") return Value::integer(counted());
  if (name == "revindex") return Value::integer(counted() - index_);
  if (name == "revindex0") return Value::integer(counted() - index_ - 1);
  if (name == "depth") return Value::integer(static_cast<Integer>(depth_) + 1);
  if (name == "depth0") return Value::integer(static_cast<Integer>(depth_));
  if (name == "previtem") {
    return index_ > 0 && before_ ? *before_ : make_undefined(budget, "there is no previous item");
  }
  if (name == "nextitem") return peek() ? *peek() : make_undefined(budget, "there is no next item");
  return method(name, budget);
}

// Methods hold the loop, which therefore outlives them.
std::optional<Value> Loop::method(std::string_view name, Budget& budget) {
  const auto self = std::static_pointer_cast<Loop>(shared_from_this());
  if (name == "cycle") {
    return make_function(
        budget, name, [self](Arguments arguments, Budget&) { return self->cycle(std::move(arguments)); }, 0);
  }
  if (name == "changed") {
    const auto body = [self](Arguments arguments, Budget& spent) {
      return self->changed(std::move(arguments), spent);
    };
    return make_function(budget, name, body, 0);
  }
  return std::nullopt;
}

Value Loop::cycle(Arguments arguments) const {
  if (arguments.positional.empty()) raise("no items for cycling given");
  return arguments.positional[static_cast<size_t>(index_ < 0 ? 0 : index_) % arguments.positional.size()];
}

Value Loop::changed(Arguments arguments, Budget& budget) {
  const Values& now = arguments.positional;
  const bool same = last_changed_ &&
                    std::equal(now.begin(), now.end(), last_changed_->begin(), last_changed_->end(),
                               [&](const Value& a, const Value& b) { return jinja::equals(a, b, budget); });
  if (!same) last_changed_ = std::move(arguments.positional);
  return Value::boolean(!same);
}

Value Loop::call(Arguments arguments, Budget&) {
  if (!recurse_) raise("The loop must have the 'recursive' marker to be called recursively.");
  if (arguments.positional.size() != 1 || !arguments.keywords.empty()) raise("loop() takes one argument");
  const Recurse recurse = recurse_;
  return recurse(arguments.positional[0], depth_ + 1);
}

void Loop::release() noexcept {
  iterable_ = {};
  elements_ = nullptr;
  recurse_ = nullptr;
  before_.reset();
  current_.reset();
  after_.reset();
  last_changed_.reset();
}

Flow For::execute(Frame& frame) const {
  const Value elements = frame.evaluate(*iterable);
  frame.rendering.line = line;
  return run(frame, elements, 0);
}

Flow For::run(Frame& frame, const Value& elements, size_t depth) const {
  std::shared_ptr<Iterator> iterator = iterate(elements, frame.budget());
  if (condition) iterator = std::make_shared<ConditionIterator>(std::move(iterator), *this, frame);
  LoopOwner owner{frame.budget(), nullptr};
  std::shared_ptr<Loop>& loop = owner.loop;
  if (uses_loop) {
    Loop::Recurse recurse;
    if (is_recursive) {
      recurse = [this, &rendering = frame.rendering, scope = frame.scope](const Value& inner,
                                                                          size_t inner_depth) {
        const DepthGuard guard(rendering.budget);
        BoundedText out(rendering.budget);
        Frame outer{rendering, scope, out, {}};
        (void)run(outer, inner, inner_depth);
        return make_text(rendering.budget, out.take());
      };
    }
    // Filtered elements have no length that could be asked for.
    loop = std::make_shared<Loop>(condition ? Value::none() : elements, iterator, depth, std::move(recurse),
                                  frame.budget());
  }
  bool completed_one = false;  // Jinja's: a pass that was left early does not keep `else` from running
  while (const std::optional<Value> element = loop ? loop->advance() : iterator->next()) {
    frame.budget().spend();
    InnerFrame pass(frame, frame.out);
    frame.rendering.line = line;
    pass->assign(target, *element);
    if (loop) pass->define("loop", Value::object(loop));
    const Flow flow = pass->run(body);
    if (flow == Flow::end_loop) break;
    completed_one |= flow == Flow::next;
  }
  if (completed_one || otherwise.statements.empty()) return Flow::next;
  InnerFrame inner(frame, frame.out);
  return inner->run(otherwise);
}

}  // namespace linnet::jinja
