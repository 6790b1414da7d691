#include "backends/cuda/panel.h"

#include <algorithm>

#include "backends/cuda/kernels/panel.h"
#include "backends/cuda/tensor_map.h"

namespace linnet::cuda {
namespace {

// Of the next product's weight. TinyLlama's products end for 2 to 4 µs in which memory would wait.
constexpr size_t kMostBrought = size_t{16} << 20;
constexpr uint32_t kAligned = 8;  // numbers, of rows that are copied or stored several at once

template <class T>
bool product_fits(const T& op, Format input, const Program& program, const Hardware& hardware) {
  const Shape& weight = program.shape(op.weight);
  return hardware.panels && op.input == Format::compute && input == Format::bf16 &&
         program.format(op.weight) == Format::bf16 &&
         panel_takes(program.shape(op.x).rows().max, weight[0].max, weight[1].max);
}

// A value of its own, whose rows begin where copies of 16 bytes can.
bool aligned(Value value, const Program& program) {
  return program.base(value) == value && program.row_stride(value) % kAligned == 0;
}
bool aligned(Value value, Format format, const Program& program) {
  return program.format(value) == format && aligned(value, program);
}

}  // namespace

bool panel_fits(const LinearAdd& op, const Program& program, const Hardware& hardware) {
  return product_fits(op, program.format(op.x), program, hardware) && aligned(op.x, Format::bf16, program) &&
         aligned(op.residual, Format::f32, program) && aligned(op.out, Format::f32, program);
}

bool panel_fits(const NormGatedLinear& op, Format input, const Program& program, const Hardware& hardware) {
  return product_fits(op, input, program, hardware) && aligned(op.out, program);
}

// Pairs of a unit lie in whole boxes of one head, whichever way RoPE takes them.
bool panel_fits(const NormQkvRopeStore& op, Format input, const Program& program, const Hardware& hardware) {
  const uint32_t width = program.shape(op.out)[2].max;
  return product_fits(op, input, program, hardware) && width % kPanelUnit == 0 &&
         program.shape(op.angles)[1].max % kPanelBox == 0;
}

LaunchStage bind_panel(const StageArgs& stage, uint32_t capacity, const Binder& binder) {
  const Matrix& weight = stage.weight;
  const Matrix next = binder.next_weight();
  Tensor x = stage.x;
  if (stage.norm != nullptr) {
    x = {.data = binder.workspace(),
         .format = Format::bf16,
         .columns = weight.columns,
         .width = weight.columns,
         .stride = weight.columns};
  }
  PanelArgs panel{.stage = stage,
                  .shape = panel_shape(weight.rows, weight.columns, binder.processors()),
                  .weight = tensor_map_of({.data = weight.data,
                                           .format = weight.format,
                                           .rows = weight.rows,
                                           .columns = weight.columns,
                                           .stride = weight.columns,
                                           .box_rows = kPanelBox}),
                  .x = tensor_map_of({.data = x.data,
                                      .format = x.format,
                                      .rows = capacity,
                                      .columns = weight.columns,
                                      .stride = x.stride,
                                      .box_rows = kPanelBox}),
                  .next = next.data,
                  .next_bytes = std::min(kMostBrought,
                                         bytes_of(next.format, size_t{next.rows} * next.columns) / 16 * 16)};
  return [panel, x](const StageArgs& counted, Common common) mutable {
    if (counted.norm != nullptr) {
      launch_rms_norm({counted.x, x, counted.norm, nullptr, counted.rows, counted.epsilon}, common);
      common.stamp.lines = nullptr;  // the first kernel of an op says when it began
    }
    panel.stage = counted;
    return launch_panel(panel, common);
  };
}

}  // namespace linnet::cuda
