#include "program/lower.h"

namespace linnet {
namespace {

void resolve_formats(Program& program, const CompileOptions& options) {
  for (ValueInfo& value : program.values) {
    if (value.format == Format::compute) value.format = options.activations;
    if (value.format == Format::kv) value.format = options.kv;
  }
}

// Deep enough for a stage that expands to a fused op that expands to primitives, with room; a cycle is a
// defect.
constexpr int kMaxDepth = 8;

void lower_one(const Op& op, Recorder& into, const CompileOptions& options, const LowerOp& lower_op,
               int depth) {
  if (depth > kMaxDepth) fail(ErrorKind::failure, "[", op_name(op), "] expands without end");
  const Lowered lowered = lower_op(op, into);
  switch (lowered.verdict) {
    case Lowered::Verdict::keep:
      into.record(op);
      return;
    case Lowered::Verdict::replaced:
      return;
    case Lowered::Verdict::unsupported:
      fail(ErrorKind::failure, "[", op_name(op), "] ", lowered.reason);
    case Lowered::Verdict::expand:
      break;
  }
  std::visit(
      [&]<class T>(const T& each) {
        if constexpr (Fused<T>) {
          Recorder expansion = Recorder::continuing(into.program());
          each.expand(expansion);
          Program expanded = expansion.take();
          resolve_formats(expanded, options);
          into.adopt_values(expanded);
          for (const Op& finer : expanded.ops) lower_one(finer, into, options, lower_op, depth + 1);
        } else {
          fail(ErrorKind::failure, "[", T::kName, "] is a primitive and cannot be expanded");
        }
      },
      op);
}

}  // namespace

Program lower(const Program& program, const CompileOptions& options, const LowerOp& lower_op) {
  Program resolved = program;
  resolve_formats(resolved, options);
  Recorder into = Recorder::continuing(resolved);
  for (const Op& op : resolved.ops) lower_one(op, into, options, lower_op, 0);
  return into.take();
}

void check(const Program& program) {
  for (const Op& op : program.ops) std::visit([&](const auto& each) { each.check(program); }, op);
}

}  // namespace linnet
