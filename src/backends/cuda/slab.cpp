#include "backends/cuda/slab.h"

#include <array>

#include "backends/cuda/kernels/panel.h"
#include "backends/cuda/kernels/slab.h"
#include "backends/cuda/kernels/slab_codes.h"
#include "backends/cuda/tensor_map.h"

namespace linnet::cuda {
namespace {

template <class T>
bool product_fits(const T& op, Format input, const Program& program, const Hardware& hardware) {
  if (!warpgroups_take(op, input, hardware)) return false;
  const uint32_t capacity = program.shape(op.x).rows().max;
  const Shape& weight = program.shape(op.weight);
  if (slabs_of_codes(op.weight, program))
    return capacity > kMaxPanelRows && code_slab_takes(weight[0].max, weight[1].max);
  return program.format(op.weight) == Format::bf16 && slab_takes(capacity, weight[0].max, weight[1].max);
}

// Heads as models have them, turned as a whole.
bool heads_fit(const NormQkvRopeStore& op, const Program& program) {
  const uint32_t width = program.shape(op.out)[2].max;
  const uint32_t turned = program.shape(op.angles)[1].max;
  // Pairs of a box lie in one head, whichever way RoPE takes them.
  if (slabs_of_codes(op.weight, program)) return width % (2 * kCodeBox) == 0 && turned % kCodeBox == 0;
  return (width == 64 || width == 128) && 2 * turned == width;
}

}  // namespace

bool slabs_of_codes(Value weight, const Program& program) {
  return program.format(weight) == Format::q8_0;
}

bool slab_fits(const LinearAdd& op, const Program& program, const Hardware& hardware) {
  return product_fits(op, program.format(op.x), program, hardware) &&
         rows_are_aligned(op.x, Format::bf16, program) &&
         rows_are_aligned(op.residual, Format::f32, program) &&
         rows_are_aligned(op.out, Format::f32, program);
}

bool slab_fits(const NormGatedLinear& op, Format input, const Program& program, const Hardware& hardware) {
  return product_fits(op, input, program, hardware) && rows_are_aligned(op.out, Format::bf16, program);
}

bool slab_fits(const NormQkvRopeStore& op, Format input, const Program& program, const Hardware& hardware) {
  return product_fits(op, input, program, hardware) && rows_are_aligned(op.out, Format::bf16, program) &&
         heads_fit(op, program) && program.format(op.k_cache) == Format::bf16 &&
         program.format(op.v_cache) == Format::bf16;
}

namespace {

LaunchStage slab_of_numbers(const StageArgs& stage, const Tensor& x, uint32_t capacity, uint32_t processors) {
  SlabArgs slab;
  slab.weight = tensor_map_of(stage.weight, kSlabRows);
  slab.x = tensor_map_of(x, capacity, stage.weight.columns, kSlabRows);
  return [slab, processors](const StageArgs& counted, const Common& common) mutable {
    slab.stage = counted;
    return launch_slab(slab, processors, common);
  };
}

// How many rows a tile of it has is decided for each run.
LaunchStage slab_of_codes(const StageArgs& stage, const Tensor& x, uint32_t capacity, uint32_t processors) {
  CodeSlabArgs slab;
  slab.weight = tensor_map_of(stage.weight, kCodeBox);
  std::array<CUtensorMap, kCodeSlabRows.size()> maps;
  for (size_t i = 0; i < maps.size(); ++i)
    maps[i] = tensor_map_of(x, capacity, stage.weight.columns, kCodeSlabRows[i] / 2);
  return [slab, maps, processors](const StageArgs& counted, const Common& common) mutable {
    slab.stage = counted;
    const size_t way = code_slab_way(counted.rows, counted.weight.rows, processors);
    slab.x = maps[way];
    return launch_code_slab(slab, kCodeSlabRows[way], processors, common);
  };
}

// Of a stage whose product takes `x`, of `capacity` rows.
LaunchStage slab_of(const StageArgs& stage, const Tensor& x, uint32_t capacity, const Binder& binder) {
  return stage.weight.format == Format::q8_0 ? slab_of_codes(stage, x, capacity, binder.processors())
                                             : slab_of_numbers(stage, x, capacity, binder.processors());
}

template <class T>
LaunchStage bind_after_norm(const T& op, const StageArgs& stage, Binder& binder) {
  const Tensor x = binder.normed(stage.weight.columns);
  return [slab = slab_of(stage, x, binder.program().shape(op.x).rows().max, binder), x](
             const StageArgs& counted, Common common) {
    launch_norm_before(counted, x, common);
    return slab(counted, common);
  };
}

}  // namespace

LaunchStage bind_slab(const LinearAdd& op, const StageArgs& stage, Binder& binder) {
  return slab_of(stage, stage.x, binder.program().shape(op.x).rows().max, binder);
}

LaunchStage bind_slab(const NormGatedLinear& op, const StageArgs& stage, Binder& binder) {
  return bind_after_norm(op, stage, binder);
}

LaunchStage bind_slab(const NormQkvRopeStore& op, const StageArgs& stage, Binder& binder) {
  return bind_after_norm(op, stage, binder);
}

}  // namespace linnet::cuda
