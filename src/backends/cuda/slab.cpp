#include "backends/cuda/slab.h"

#include "backends/cuda/kernels/slab.h"
#include "backends/cuda/tensor_map.h"

namespace linnet::cuda {
namespace {

template <class T>
bool product_fits(const T& op, Format input, const Program& program, const Hardware& hardware) {
  const Shape& weight = program.shape(op.weight);
  return warpgroups_take(op, input, hardware) && program.format(op.weight) == Format::bf16 &&
         slab_takes(program.shape(op.x).rows().max, weight[0].max, weight[1].max);
}

}  // namespace

bool slab_fits(const LinearAdd& op, const Program& program, const Hardware& hardware) {
  return product_fits(op, program.format(op.x), program, hardware) &&
         rows_are_aligned(op.x, Format::bf16, program) &&
         rows_are_aligned(op.residual, Format::f32, program) &&
         rows_are_aligned(op.out, Format::f32, program);
}

bool slab_fits(const NormGatedLinear& op, Format input, const Program& program, const Hardware& hardware) {
  return product_fits(op, input, program, hardware) && rows_are_aligned(op.out, Format::bf16, program);
}

// Heads as models have them, turned as a whole.
bool slab_fits(const NormQkvRopeStore& op, Format input, const Program& program, const Hardware& hardware) {
  const uint32_t width = program.shape(op.out)[2].max;
  return product_fits(op, input, program, hardware) && rows_are_aligned(op.out, Format::bf16, program) &&
         (width == 64 || width == 128) && 2 * program.shape(op.angles)[1].max == width &&
         program.format(op.k_cache) == Format::bf16 && program.format(op.v_cache) == Format::bf16;
}

namespace {

// Of a stage whose product takes `x`, of `capacity` rows.
SlabArgs slab_of(const StageArgs& stage, const Tensor& x, uint32_t capacity) {
  SlabArgs slab;
  slab.weight = tensor_map_of(stage.weight, kSlabRows);
  slab.x = tensor_map_of(x, capacity, stage.weight.columns, kSlabRows);
  return slab;
}

template <class T>
LaunchStage bind_after_norm(const T& op, const StageArgs& stage, Binder& binder) {
  const Tensor x = binder.normed(stage.weight.columns);
  return [slab = slab_of(stage, x, binder.program().shape(op.x).rows().max), x,
          processors = binder.processors()](const StageArgs& counted, Common common) mutable {
    launch_norm_before(counted, x, common);
    slab.stage = counted;
    return launch_slab(slab, processors, common);
  };
}

}  // namespace

LaunchStage bind_slab(const LinearAdd& op, const StageArgs& stage, Binder& binder) {
  return [slab = slab_of(stage, stage.x, binder.program().shape(op.x).rows().max),
          processors = binder.processors()](const StageArgs& counted, const Common& common) mutable {
    slab.stage = counted;
    return launch_slab(slab, processors, common);
  };
}

LaunchStage bind_slab(const NormGatedLinear& op, const StageArgs& stage, Binder& binder) {
  return bind_after_norm(op, stage, binder);
}

LaunchStage bind_slab(const NormQkvRopeStore& op, const StageArgs& stage, Binder& binder) {
  return bind_after_norm(op, stage, binder);
}

}  // namespace linnet::cuda
