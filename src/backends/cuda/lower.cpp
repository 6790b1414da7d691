#include "backends/cuda/lower.h"

#include "backends/cuda/kernels/kernels.h"
#include "backends/cuda/panel.h"
#include "backends/cuda/product.h"
#include "backends/cuda/slab.h"

namespace linnet::cuda {
namespace {

constexpr uint32_t kWidestHead = 256;

template <class T>
Lowered lower_one(const T&, const CompileOptions&, const Program&, const Hardware&) {
  return Lowered::keep();
}

Lowered lower_one(const Attention& op, const CompileOptions&, const Program& program, const Hardware&) {
  const uint32_t width = program.shape(op.q)[2].max;
  if (width <= kWidestHead) return Lowered::keep();
  return Lowered::unsupported(concat("heads of at most ", kWidestHead, " numbers, got ", width));
}

Lowered lower_one(const Linear& op, const CompileOptions&, const Program& program, const Hardware&) {
  const bool codes = program.format(op.x) == Format::q8_a;
  if (codes && program.format(op.weight) != Format::q8_0)
    return Lowered::unsupported("x: q8_a is for products with q8_0 weights");
  return Lowered::keep();
}

// Few rows stay one kernel, some dozens may; many are a product on the matrix units between ops of their own.
template <class T>
bool stage_fits(const T& op, Format input, const Program& program) {
  const Shape& weight = program.shape(op.weight);
  return op.input == Format::compute && stage_takes(program.shape(op.x).rows().max, weight[0].max,
                                                    weight[1].max, program.format(op.weight), input);
}

Lowered keep_if(bool fits) {
  return fits ? Lowered::keep() : Lowered::expand();
}

Lowered lower_one(const NormLinear& op, const CompileOptions& options, const Program& program,
                  const Hardware&) {
  return keep_if(options.fuse && stage_fits(op, options.activations, program));
}

Lowered lower_one(const NormGatedLinear& op, const CompileOptions& options, const Program& program,
                  const Hardware& hardware) {
  return keep_if(options.fuse && (stage_fits(op, options.activations, program) ||
                                  panel_fits(op, options.activations, program, hardware) ||
                                  slab_fits(op, options.activations, program, hardware)));
}

Lowered lower_one(const LinearAdd& op, const CompileOptions& options, const Program& program,
                  const Hardware& hardware) {
  const Format x = program.format(op.x);
  const bool number = x == Format::f32 || x == Format::f16 || x == Format::bf16;
  const bool product = hardware.cublas && op.input == Format::compute &&
                       program.base(op.residual) == op.residual && program.base(op.out) == op.out &&
                       product_by_cublas(program, op.x, op.weight, op.out);
  return keep_if(options.fuse &&
                 (product || panel_fits(op, program, hardware) || slab_fits(op, program, hardware) ||
                  (number && stage_fits(op, x, program))));
}

Lowered lower_one(const NormQkvRopeStore& op, const CompileOptions& options, const Program& program,
                  const Hardware& hardware) {
  const bool even = program.shape(op.out)[2].max % 2 == 0;
  return keep_if(options.fuse && even &&
                 (stage_fits(op, options.activations, program) ||
                  panel_fits(op, options.activations, program, hardware) ||
                  slab_fits(op, options.activations, program, hardware)));
}

}  // namespace

Lowered lower_for_cuda(const Op& op, const CompileOptions& options, Recorder& into,
                       const Hardware& hardware) {
  return std::visit([&](const auto& each) { return lower_one(each, options, into.program(), hardware); }, op);
}

}  // namespace linnet::cuda
