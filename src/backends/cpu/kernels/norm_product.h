// What the fused ops with a norm before their product share: operands, workspace and the step that prepares
// the rows.
#pragma once

#include "backends/cpu/kernels/product.h"
#include "backends/cpu/tensor.h"
#include "program/op.h"

namespace linnet::cpu {

struct NormProduct {
  Tensor x;  // [rows, k] f32
  const float* norm;
  float epsilon;
  const CpuWeight* weight;
  ProductKernel* product;
  const float* bias;
  bool quantized;
  std::byte* workspace;  // normed rows: float or q8_a

  [[nodiscard]] size_t prepared_bytes() const noexcept {
    return prepared_row_bytes(quantized ? Format::q8_a : Format::f32, x.columns);
  }
  [[nodiscard]] PreparedRows prepared() const noexcept { return {workspace, prepared_bytes()}; }
  // Read by one run over so many rows.
  [[nodiscard]] uint64_t bytes(size_t rows) const {
    return weight->bytes() + x.bytes(rows) + x.columns * sizeof(float);
  }
};

template <class T>
NormProduct norm_product(const T& op, const Binder& binder) {
  const CpuWeight& weight = binder.weight(op.weight);
  return {.x = binder.tensor(op.x),
          .norm = binder.vector(op.norm),
          .epsilon = op.epsilon,
          .weight = &weight,
          .product = product_kernel(binder.target(), weight),
          .bias = binder.vector(op.bias),
          .quantized = op.input == Format::q8_a,
          .workspace = binder.workspace()};
}

template <class T>
size_t norm_product_workspace(const T& op, const Program& program) {
  const Format prepared = op.input == Format::q8_a ? Format::q8_a : Format::f32;
  return program.shape(op.x)[0].max * prepared_row_bytes(prepared, program.shape(op.x).columns());
}

}  // namespace linnet::cpu
