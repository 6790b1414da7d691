#include "backends/cpu/lower.h"

#include "backends/cpu/kernels/product.h"

namespace linnet::cpu {
namespace {

// Activations are f32 here; only weights, caches and quantized rows have other formats.
std::string refuse_formats(const Op& op, const Program& program) {
  std::string reason;
  for_each_operand(op, [&](Value value, Access, std::string_view name) {
    const ValueInfo& info = program.info(value);
    const bool cache = name == "k_cache" || name == "v_cache";
    if (info.storage == Storage::weight || cache || !reason.empty()) return;
    if (info.format == Format::f16 || info.format == Format::bf16) {
      reason = concat(name, ": the cpu computes activations in f32, got ", info.format);
    }
  });
  return reason;
}

bool integer_product(Value weight, const Program& program) {
  return program.format(weight) == Format::q8_0;
}

template <class T>
Lowered lower_one(const T&, const CompileOptions&, Recorder&) {
  return Lowered::keep();
}

Lowered lower_one(const Linear& op, const CompileOptions&, Recorder& into) {
  const Format x = into.program().format(op.x);
  if (!integer_product(op.weight, into.program())) {
    return x == Format::q8_a ? Lowered::unsupported("x: q8_a is for products with q8_0 weights")
                             : Lowered::keep();
  }
  if (x == Format::q8_a) return Lowered::keep();
  Linear quantized = op;
  quantized.x = quantize(into, op.x);
  into.record(quantized);
  return Lowered::replaced();
}

// Tiles of a fused stage end where its parts do; a weight in panels can only be cut between them.
bool cuts_cleanly(Value weight, size_t columns, const Program& program) {
  return !integer_product(weight, program) || columns % kPanelRows == 0;
}

bool stage_fits(const NormLinear&, const Program&) {
  return true;
}
bool stage_fits(const LinearAdd&, const Program&) {
  return true;
}
bool stage_fits(const NormGatedLinear& op, const Program& program) {
  return cuts_cleanly(op.weight, program.shape(op.weight)[0].max / 2, program);
}
bool stage_fits(const NormQkvRopeStore& op, const Program& program) {
  const size_t width = program.shape(op.out)[2].max;
  return cuts_cleanly(op.weight, width, program) && width <= kTileRows * kTileColumns;
}

template <class T>
requires Fused<T> Lowered lower_one(const T& op, const CompileOptions& options, Recorder& into) {
  if (!options.fuse || !stage_fits(op, into.program())) return Lowered::expand();
  if (integer_product(op.weight, into.program()) == (op.input == Format::q8_a)) return Lowered::keep();
  T integer = op;
  integer.input = integer_product(op.weight, into.program()) ? Format::q8_a : Format::compute;
  into.record(integer);
  return Lowered::replaced();
}

}  // namespace

Lowered lower_for_cpu(const Op& op, const CompileOptions& options, Recorder& into) {
  if (std::string reason = refuse_formats(op, into.program()); !reason.empty()) {
    return Lowered::unsupported(std::move(reason));
  }
  return std::visit([&](const auto& each) { return lower_one(each, options, into); }, op);
}

}  // namespace linnet::cpu
