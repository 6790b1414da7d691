#include "check/cases/batch.h"

namespace linnet {
namespace {

Case stored(const Batch& batch, uint32_t heads, uint32_t width, Format cache_format) {
  CaseBuilder builder(concat("kv_store/", cache_format, "_", heads, "x", width, "_", name_of(batch)));
  const BatchValues values = add_batch(builder, batch);
  const Value k = builder.input({values.rows, heads, width}, Format::f32, "k");
  const Value v = builder.input({values.rows, heads, width}, Format::f32, "v");
  const Shape cache{batch.pages(), heads, kPageTokens, width};
  const Value k_cache = builder.state(cache, cache_format, "k_cache", Fill::normal(1, 5));
  const Value v_cache = builder.state(cache, cache_format, "v_cache", Fill::normal(1, -5));
  return builder.record(
      KvStore{.k = k, .v = v, .paging = values.paging, .k_cache = k_cache, .v_cache = v_cache});
}

// Keys and values where the stacked product leaves them.
Case strided() {
  const Batch batch{.capacity = 6, .sequences = {{1, 62, 4}}};
  CaseBuilder builder("kv_store/views");
  const BatchValues values = add_batch(builder, batch);
  const Value wide = builder.input({values.rows, 151}, Format::f32, "wide");
  const Value k = builder.recorder().view(wide, 71, {values.rows, 2, 20});
  const Value v = builder.recorder().view(wide, 111, {values.rows, 2, 20});
  const Value k_cache = builder.state({batch.pages(), 2, kPageTokens, 20}, Format::f32, "k_cache");
  const Value v_cache = builder.state({batch.pages(), 2, kPageTokens, 20}, Format::f32, "v_cache");
  return builder.record(
      KvStore{.k = k, .v = v, .paging = values.paging, .k_cache = k_cache, .v_cache = v_cache});
}

}  // namespace

template <>
std::vector<Case> cases<KvStore>() {
  std::vector<Case> all;
  for (const Batch& batch : some_batches()) all.push_back(stored(batch, 2, 64, Format::f32));
  for (const Format format : {Format::f16, Format::bf16})
    all.push_back(stored(some_batches()[4], 4, 64, format));
  all.push_back(stored(some_batches()[2], 1, 80, Format::f32));
  all.push_back(stored(some_batches()[2], 3, 13, Format::f32));
  all.push_back(strided());
  // A device may round the rows of a prompt up: those of no sequence are not stored, not even at position 0.
  all.push_back(
      stored({.capacity = 16, .sequences = {{1, 62, 4}, {0, 5, 1}}, .idle = 7}, 2, 64, Format::bf16));
  return all;
}

}  // namespace linnet
