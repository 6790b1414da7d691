#include "backends/cpu/kernels/bind.h"
#include "backends/cpu/kernels/norm_product.h"
#include "backends/cpu/kernels/rotate.h"
#include "backends/cpu/paged_cache.h"

#ifndef LINNET_CPU_QKV_ARGS
#define LINNET_CPU_QKV_ARGS
namespace linnet::cpu {

// Room for at least one row of the widest head this stage is kept for (see lower.cpp).
inline constexpr size_t kQkvTileFloats = kTileRows * kTileColumns;

struct QkvArgs {
  NormProduct product;
  Tensor angles;  // [rows, pairs, 2]
  RopePairs pairs;
  PagedBatch batch;
  Tensor k_cache;
  Tensor v_cache;
  size_t kv_heads;
  Tensor out;  // [rows, heads, width]
};

}  // namespace linnet::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/norm_qkv_rope_store.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>
//
#include "backends/cpu/kernels/norm_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace linnet::cpu::HWY_NAMESPACE {

// A tile is one head of q, k or v: its columns are rotated or stored while they are in the cache.
void NormQkvTiles(const QkvArgs& args, Team& team) {
  const NormProduct& product = args.product;
  const size_t rows = team.count(product.x.rows);
  const size_t width = args.out.last;
  const size_t heads = args.out.columns / width;
  PrepareNormed(product, team, rows);
  team.share(heads + 2 * args.kv_heads, [&](size_t head) HWY_ATTR {
    alignas(64) float tile[kQkvTileFloats];
    const size_t tile_limit = HWY_MIN(kTileRows, kQkvTileFloats / width);
    const size_t first = head * width;
    for (size_t begin = 0; begin < rows; begin += tile_limit) {
      const size_t count = HWY_MIN(tile_limit, rows - begin);
      product.product(*product.weight, product.prepared().from(begin), count, first, width, tile, width);
      for (size_t r = 0; r < count; ++r) {
        const size_t row = begin + r;
        float* x = tile + r * width;
        for (size_t c = 0; product.bias != nullptr && c < width; ++c) x[c] += product.bias[first + c];
        const float* angles = args.angles.floats(row);
        if (head < heads) {
          rotate_head(x, angles, args.angles.columns / 2, args.pairs, width, args.out.floats(row) + first);
          continue;
        }
        const RowPlace place = args.batch.place(row, team);
        if (!place.valid) continue;
        const bool key = head < heads + args.kv_heads;
        if (key) rotate_head(x, angles, args.angles.columns / 2, args.pairs, width, x);
        const Tensor& cache = key ? args.k_cache : args.v_cache;
        const size_t kv_head = (head - heads) % args.kv_heads;
        const size_t at = args.batch.offset(args.batch.page_of(place, place.position, team), kv_head,
                                            place.position % kPageTokens);
        encode(cache.format, {x, width}, {cache.data + at, args.batch.token_bytes()});
      }
    }
  });
}

}  // namespace linnet::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linnet::cpu {

HWY_EXPORT(NormQkvTiles);

size_t workspace_of(const NormQkvRopeStore& op, const Program& program) {
  return norm_product_workspace(op, program);
}

BoundKernel bind_kernel(const NormQkvRopeStore& op, const Binder& binder) {
  const QkvArgs args{.product = norm_product(op, binder),
                     .angles = binder.tensor(op.angles),
                     .pairs = op.pairs,
                     .batch = paged_batch(op.paging, op.k_cache, binder),
                     .k_cache = binder.tensor(op.k_cache),
                     .v_cache = binder.tensor(op.v_cache),
                     .kv_heads = binder.program().shape(op.k_cache)[1].max,
                     .out = binder.tensor(op.out)};
  return [run = for_target(HWY_DISPATCH_TABLE(NormQkvTiles), binder.target()), args](Team& team) {
    run(args, team);
    const size_t rows = team.count(args.product.x.rows);
    const size_t stored = 2 * rows * args.kv_heads * args.batch.token_bytes();
    return args.product.bytes(rows) + args.angles.bytes(rows) + args.out.bytes(rows) + stored;
  };
}

}  // namespace linnet::cpu
#endif
