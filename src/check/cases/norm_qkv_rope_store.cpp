#include "check/cases/batch.h"

namespace linnet {
namespace {

struct Heads {
  uint32_t count, kv, width, pairs;
};

Case fused(const Batch& batch, Heads heads, uint32_t k, Format weight_format, Format input,
           RopePairs pairs = RopePairs::adjacent, Format cache_format = Format::f32, bool bias = false,
           Format out_format = Format::f32) {
  CaseBuilder builder(concat(
      "norm_qkv_rope_store/", weight_format, "_", input, "_", cache_format, "_", heads.count, "over",
      heads.kv, "x", heads.width, "x", k, pairs == RopePairs::adjacent ? "_adjacent_" : "_halves_",
      bias ? "bias_" : "", out_format != Format::f32 ? concat("out_", out_format, "_") : "", name_of(batch)));
  const BatchValues values = add_batch(builder, batch);
  const uint32_t n = (heads.count + 2 * heads.kv) * heads.width;
  const Value x = builder.input({values.rows, k}, Format::f32, "x", Fill::normal(2));
  const Value norm = builder.weight({Dim(k)}, Format::f32, "norm", Fill::normal(0.3f, 1));
  Fill stacked = Fill::normal(0.1f);
  stacked.parts = 2;
  const Value weight = builder.weight({n, k}, weight_format, "weight", stacked);
  const Value b = bias ? builder.weight({Dim(n)}, Format::f32, "bias") : Value{};
  const Value angles =
      builder.input({values.rows, heads.pairs, 2}, Format::f32, "angles", Fill::normal(0.6f));
  const Shape cache{batch.pages(), heads.kv, kPageTokens, heads.width};
  const Value k_cache = builder.state(cache, cache_format, "k_cache", Fill::normal(1, 5));
  const Value v_cache = builder.state(cache, cache_format, "v_cache", Fill::normal(1, -5));
  const Value out = builder.output({values.rows, heads.count, heads.width}, out_format, "out");
  return builder.record(NormQkvRopeStore{.x = x,
                                         .norm = norm,
                                         .weight = weight,
                                         .bias = b,
                                         .angles = angles,
                                         .paging = values.paging,
                                         .k_cache = k_cache,
                                         .v_cache = v_cache,
                                         .out = out,
                                         .pairs = pairs,
                                         .input = input});
}

}  // namespace

template <>
std::vector<Case> cases<NormQkvRopeStore>() {
  const std::vector<Batch> batches = some_batches();
  const Heads heads{4, 1, 64, 32};
  std::vector<Case> all;
  for (const Batch& batch : batches) {
    all.push_back(fused(batch, heads, 96, Format::q8_0, Format::q8_a));
    all.push_back(fused(batch, heads, 77, Format::f16, Format::compute));
  }
  for (const Format format : {Format::f32, Format::bf16, Format::q8_0}) {
    all.push_back(fused(batches[2], {2, 2, 64, 32}, 64, format, Format::compute, RopePairs::halves));
    all.push_back(fused(batches[4], {8, 1, 80, 16}, 64, format, Format::compute, RopePairs::adjacent,
                        Format::f32, true));
  }
  // Whole tiles of BF16 weights, which a device may take as one stage; some heads turned in part.
  for (const RopePairs pairs : {RopePairs::adjacent, RopePairs::halves}) {
    all.push_back(
        fused(batches[6], {4, 2, 64, 32}, 1088, Format::bf16, Format::compute, pairs, Format::bf16));
    all.push_back(
        fused(batches[4], {3, 1, 128, 48}, 128, Format::bf16, Format::compute, pairs, Format::bf16, true));
    for (const Format format : {Format::bf16, Format::q8_0})
      all.push_back(fused(batches[5], {2, 1, 128, 64}, 576, format, Format::compute, pairs, Format::f16));
  }
  // Room for hundreds of rows: tiles that are not full, heads of queries, keys and values in one tile and in
  // several, more tiles than a GPU has at once.
  const Batch many{.capacity = 513, .sequences = {{2, 60, 100}, {0, 7, 1}, {1, 0, 190}}, .idle = 3};
  const Batch few{.capacity = 513, .sequences = {{2, 60, 2}, {1, 0, 3}}};
  const Batch some{.capacity = 70, .sequences = {{2, 60, 40}, {1, 0, 28}}, .idle = 1};
  for (const RopePairs pairs : {RopePairs::adjacent, RopePairs::halves}) {
    const auto slab = [&](const Batch& batch, Heads each, uint32_t k, Format format, bool bias) {
      return fused(batch, each, k, format, Format::compute, pairs, Format::bf16, bias, Format::bf16);
    };
    for (const Format format : {Format::bf16, Format::q8_0}) {
      all.push_back(slab(many, {2, 1, 64, 32}, 384, format, false));
      all.push_back(slab(many, {6, 1, 128, 64}, 128, format, true));
      all.push_back(slab(few, {68, 34, 128, 64}, 128, format, true));
    }
    all.push_back(slab(some, {4, 2, 128, 32}, 256, Format::q8_0, false));  // turned in part
  }
  all.push_back(fused(batches[4], {8, 2, 128, 64}, 64, Format::q8_0, Format::q8_a, RopePairs::halves));
  for (const Format cache : {Format::f16, Format::bf16}) {
    all.push_back(fused(batches[4], heads, 64, Format::q8_0, Format::q8_a, RopePairs::adjacent, cache));
  }
  return all;
}

}  // namespace linnet
