#include "backends/cpu/kernels/bind.h"
#include "backends/cpu/kernels/tiles.h"

#ifndef LINNET_CPU_LINEAR_ADD_ARGS
#define LINNET_CPU_LINEAR_ADD_ARGS
namespace linnet::cpu {

struct LinearAddArgs {
  Tensor x;  // [rows, k]
  const CpuWeight* weight;
  ProductKernel* product;
  const float* bias;
  Tensor residual;  // [rows, n]
  Tensor out;       // [rows, n]
  bool quantized;
  std::byte* workspace;  // quantized rows
};

}  // namespace linnet::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/linear_add.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>
//
#include "backends/cpu/kernels/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linnet::cpu::HWY_NAMESPACE {

void LinearAddTiles(const LinearAddArgs& args, Team& team) {
  const size_t rows = team.count(args.x.rows);
  PreparedRows prepared{args.x.data, args.x.row_bytes};
  if (args.quantized) {
    prepared = {args.workspace, prepared_row_bytes(Format::q8_a, args.x.columns)};
    team.share(rows, [&](size_t row) HWY_ATTR {
      QuantizeRow(args.x.floats(row), reinterpret_cast<Q8ABlock*>(args.workspace + row * prepared.row_bytes),
                  args.x.columns);
    });
    team.barrier();
  }
  product_tiles(
      team, args.product, *args.weight, prepared, rows,
      [&](size_t row, size_t count, size_t first, size_t columns, const float* tile, size_t stride) HWY_ATTR {
        for (size_t r = 0; r < count; ++r) {
          const float* residual = args.residual.floats(row + r) + first;
          float* out = args.out.floats(row + r) + first;
          for (size_t c = 0; c < columns; ++c) {
            const float product = tile[r * stride + c] + (args.bias != nullptr ? args.bias[first + c] : 0.0f);
            out[c] = product + residual[c];
          }
        }
      });
}

}  // namespace linnet::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linnet::cpu {

HWY_EXPORT(LinearAddTiles);

size_t workspace_of(const LinearAdd& op, const Program& program) {
  if (op.input != Format::q8_a) return 0;
  return program.shape(op.x)[0].max * prepared_row_bytes(Format::q8_a, program.shape(op.x).columns());
}

BoundKernel bind_kernel(const LinearAdd& op, const Binder& binder) {
  const CpuWeight& weight = binder.weight(op.weight);
  const LinearAddArgs args{.x = binder.tensor(op.x),
                           .weight = &weight,
                           .product = product_kernel(binder.target(), weight),
                           .bias = binder.vector(op.bias),
                           .residual = binder.tensor(op.residual),
                           .out = binder.tensor(op.out),
                           .quantized = op.input == Format::q8_a,
                           .workspace = binder.workspace()};
  return [run = for_target(HWY_DISPATCH_TABLE(LinearAddTiles), binder.target()), args](Team& team) {
    run(args, team);
    const size_t rows = team.count(args.x.rows);
    return args.weight->bytes() + args.x.bytes(rows) + args.residual.bytes(rows) + args.out.bytes(rows);
  };
}

}  // namespace linnet::cpu
#endif
