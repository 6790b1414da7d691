// All statements but loops and macros, which have files of their own.
#include "text/jinja/statement.h"

#include "text/jinja/frame.h"
#include "text/jinja/protocol.h"

namespace linnet::jinja {

void append_only_text(BoundedText& out, const Value& value) {
  if (!value.is_text()) raise("expected str instance, ", type_name(value), " found");
  out.append(value.as_text());
}

Flow TextOutput::execute(Frame& frame) const {
  frame.out.append(text);
  return Flow::next;
}

Flow ValueOutput::execute(Frame& frame) const {
  append_text(frame.out, frame.evaluate(*value));
  return Flow::next;
}

Flow If::execute(Frame& frame) const {
  for (const auto& [condition, body] : branches) {
    if (frame.is_true(*condition)) return frame.run(body);
  }
  return frame.run(otherwise);
}

Flow Set::execute(Frame& frame) const {
  frame.require_namespaces(target);
  const Value assigned = frame.evaluate(*value);
  frame.rendering.line = line;
  frame.assign(target, assigned);
  return Flow::next;
}

Flow SetBlock::execute(Frame& frame) const {
  frame.require_namespaces(target);
  BoundedText out(frame.budget());
  InnerFrame inner(frame, out);
  const Flow flow = inner->run(body);
  if (flow != Flow::next) return flow;
  Value text = make_text(frame.budget(), out.take());
  if (filtered) {
    inner->captured = std::move(text);
    text = inner->evaluate(*filtered);
  }
  frame.assign(target, text);
  return Flow::next;
}

Flow FilterBlock::execute(Frame& frame) const {
  BoundedText out(frame.budget());
  InnerFrame inner(frame, out);
  const Flow flow = inner->run(body);
  if (flow != Flow::next) return flow;
  inner->captured = make_text(frame.budget(), out.take());
  append_only_text(frame.out, inner->evaluate(*filtered));
  return Flow::next;
}

Flow With::execute(Frame& frame) const {
  InnerFrame inner(frame, frame.out);
  for (const auto& [target, value] : assignments) inner->assign(target, frame.evaluate(*value));
  return inner->run(body);
}

Flow ScopedBlock::execute(Frame& frame) const {
  InnerFrame inner(frame, frame.out);
  return inner->run(body);
}

}  // namespace linnet::jinja
