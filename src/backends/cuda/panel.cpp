#include "backends/cuda/panel.h"

#include "backends/cuda/kernels/panel.h"
#include "backends/cuda/tensor_map.h"

namespace linnet::cuda {
namespace {

template <class T>
bool product_fits(const T& op, Format input, const Program& program, const Hardware& hardware) {
  const Shape& weight = program.shape(op.weight);
  const Format format = program.format(op.weight);
  return warpgroups_take(op, input, hardware) && (format == Format::bf16 || format == Format::q8_0) &&
         panel_takes(program.shape(op.x).rows().max, weight[0].max, weight[1].max);
}

}  // namespace

bool panel_fits(const LinearAdd& op, const Program& program, const Hardware& hardware) {
  return product_fits(op, program.format(op.x), program, hardware) &&
         rows_are_aligned(op.x, Format::bf16, program) &&
         rows_are_aligned(op.residual, Format::f32, program) &&
         rows_are_aligned(op.out, Format::f32, program);
}

bool panel_fits(const NormGatedLinear& op, Format input, const Program& program, const Hardware& hardware) {
  return product_fits(op, input, program, hardware) && rows_are_aligned(op.out, program);
}

// Pairs of a unit lie in whole boxes of one head, whichever way RoPE takes them.
bool panel_fits(const NormQkvRopeStore& op, Format input, const Program& program, const Hardware& hardware) {
  const uint32_t width = program.shape(op.out)[2].max;
  return product_fits(op, input, program, hardware) && width % kPanelUnit == 0 &&
         program.shape(op.angles)[1].max % kPanelBox == 0;
}

namespace {

PanelShape shape_of(Value weight, const Binder& binder) {
  const Shape& shape = binder.program().shape(weight);
  return panel_shape(shape[0].max, shape[1].max, binder.processors());
}

// Whether `second` takes the norm of what `first` makes from `first`: its result, which is there as well, is
// not read for it. Not where every value must be what its op would have made of its operands.
bool norm_goes_with(const LinearAdd& first, const Op& second, const Binder& binder) {
  const Program& program = binder.program();
  const Format input = binder.options().activations;
  const auto takes = [&](const auto& op) {
    return op.x == first.out && panel_fits(op, input, program, binder.hardware());
  };
  const auto* gated = std::get_if<NormGatedLinear>(&second);
  const auto* qkv = std::get_if<NormQkvRopeStore>(&second);
  return binder.options().reuse_scratch && panel_fits(first, program, binder.hardware()) &&
         shape_of(first.weight, binder).clusters <= PanelNorm::kMostParts &&
         ((gated != nullptr && takes(*gated)) || (qkv != nullptr && takes(*qkv)));
}

// Where the two meet: sums of squares, then the scaled result of `width` columns.
PanelNorm norm_between(uint32_t width, Binder& binder) {
  constexpr size_t kSquares = kMaxPanelRows * PanelNorm::kMostParts * sizeof(float);
  std::byte* memory = binder.between_ops(kSquares + kMaxPanelRows * bytes_of(Format::bf16, width));
  PanelNorm norm;
  norm.squares = reinterpret_cast<float*>(memory);
  norm.scaled = memory + kSquares;
  return norm;
}

Value norm_of(const Op& op) {
  if (const auto* gated = std::get_if<NormGatedLinear>(&op)) return gated->norm;
  if (const auto* qkv = std::get_if<NormQkvRopeStore>(&op)) return qkv->norm;
  return {};
}

// `x` is what the product takes: what a norm of its own writes if `normed`.
LaunchStage launch_of(const StageArgs& stage, const PanelNorm& norm, const Tensor& x, bool normed,
                      Value weight, uint32_t capacity, const Binder& binder) {
  PanelArgs panel;
  panel.stage = stage;
  panel.norm = norm;
  panel.shape = shape_of(weight, binder);
  panel.weight = tensor_map_of(stage.weight, kPanelBox, stage.weight.format != Format::q8_0);
  panel.x = tensor_map_of(x, capacity, stage.weight.columns, kPanelBox);
  return [panel, x, normed](const StageArgs& counted, Common common) mutable {
    if (normed) launch_norm_before(counted, x, common);
    panel.stage = counted;
    return launch_panel(panel, common);
  };
}

template <class T>
LaunchStage bind_after_norm(const T& op, const StageArgs& stage, Binder& binder) {
  const Op* before = binder.op_before();
  const auto* first = before != nullptr ? std::get_if<LinearAdd>(before) : nullptr;
  const uint32_t width = stage.weight.columns;
  const bool normed = first == nullptr || !norm_goes_with(*first, op, binder);
  PanelNorm norm;
  Tensor x = binder.normed(width);
  if (!normed) {
    norm = norm_between(width, binder);
    norm.parts = shape_of(first->weight, binder).clusters;
    norm.epsilon = op.epsilon;
    x.data = norm.scaled;
  }
  return launch_of(stage, norm, x, normed, op.weight, binder.program().shape(op.x).rows().max, binder);
}

}  // namespace

LaunchStage bind_panel(const LinearAdd& op, const StageArgs& stage, Binder& binder) {
  const Op* after = binder.op_after();
  PanelNorm norm;
  if (after != nullptr && norm_goes_with(op, *after, binder)) {
    norm = norm_between(stage.weight.rows, binder);
    norm.weight = binder.data<const float>(norm_of(*after));
  }
  return launch_of(stage, norm, stage.x, false, op.weight, binder.program().shape(op.x).rows().max, binder);
}

LaunchStage bind_panel(const NormGatedLinear& op, const StageArgs& stage, Binder& binder) {
  return bind_after_norm(op, stage, binder);
}

LaunchStage bind_panel(const NormQkvRopeStore& op, const StageArgs& stage, Binder& binder) {
  return bind_after_norm(op, stage, binder);
}

}  // namespace linnet::cuda
