#include <cmath>

#include "check/cases/batch.h"

namespace linnet {
namespace {

struct Heads {
  uint32_t count, kv, width;
};

Case attended(const Batch& batch, Heads heads, Format cache_format = Format::f32, float deviation = 1) {
  CaseBuilder builder(concat("attention/", cache_format, "_", heads.count, "over", heads.kv, "x", heads.width,
                             deviation == 1 ? "" : "_peaked", "_", name_of(batch)));
  const BatchValues values = add_batch(builder, batch);
  const Value q =
      builder.input({values.rows, heads.count, heads.width}, Format::f32, "q", Fill::normal(deviation));
  const Shape cache{batch.pages(), heads.kv, kPageTokens, heads.width};
  const Value k_cache = builder.state(cache, cache_format, "k_cache");
  const Value v_cache = builder.state(cache, cache_format, "v_cache");
  const Value out = builder.output({values.rows, heads.count * heads.width}, Format::f32, "out");
  return builder.record(Attention{.q = q,
                                  .paging = values.paging,
                                  .k_cache = k_cache,
                                  .v_cache = v_cache,
                                  .out = out,
                                  .scale = 1 / std::sqrt(static_cast<float>(heads.width))});
}

}  // namespace

template <>
std::vector<Case> cases<Attention>() {
  const std::vector<Batch> batches = some_batches();
  std::vector<Case> all;
  for (const Batch& batch : batches) all.push_back(attended(batch, {4, 1, 64}));
  for (const Heads heads :
       {Heads{2, 2, 64}, Heads{8, 1, 64}, Heads{8, 2, 128}, Heads{4, 4, 80}, Heads{4, 2, 13}}) {
    all.push_back(attended(batches[2], heads));
    all.push_back(attended(batches[4], heads));
  }
  for (const Format format : {Format::f16, Format::bf16}) {
    all.push_back(attended(batches[2], {8, 2, 64}, format));
    all.push_back(attended(batches[4], {4, 4, 80}, format));
  }
  all.push_back(attended(batches[2], {4, 1, 64}, Format::f32, 40));
  // Long enough for several splits of the keys: few rows, whose splits may run side by side, and many.
  all.push_back(attended({.slots = 1, .pages_a_slot = 18, .sequences = {{0, 1100, 1}}}, {2, 1, 16}));
  all.push_back(attended({.slots = 2, .pages_a_slot = 9, .sequences = {{1, 540, 2}, {0, 3, 1}}}, {4, 2, 16}));
  all.push_back(attended({.slots = 1, .pages_a_slot = 9, .sequences = {{0, 500, 40}}}, {2, 1, 16}));
  Case longer =
      attended({.slots = 2, .pages_a_slot = 20, .sequences = {{1, 1200, 1}, {0, 700, 3}}}, {8, 1, 64});
  longer.quick = false;
  all.push_back(std::move(longer));
  Case prefill =
      attended({.slots = 2, .pages_a_slot = 4, .capacity = 256, .sequences = {{1, 0, 200}}}, {4, 1, 64});
  prefill.quick = false;
  all.push_back(std::move(prefill));
  return all;
}

}  // namespace linnet
