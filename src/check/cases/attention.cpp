#include <array>
#include <cmath>

#include "check/cases/batch.h"

namespace linnet {
namespace {

struct Heads {
  uint32_t count, kv, width;
};

struct Formats {
  Format cache = Format::f32;
  Format activations = Format::f32;
};

Case attended(const Batch& batch, Heads heads, Formats formats = {}, float deviation = 1) {
  CaseBuilder builder(concat("attention/", formats.activations == Format::f32 ? "" : "all_", formats.cache,
                             "_", heads.count, "over", heads.kv, "x", heads.width,
                             deviation == 1 ? "" : "_peaked", "_", name_of(batch)));
  const BatchValues values = add_batch(builder, batch);
  const Value q = builder.input({values.rows, heads.count, heads.width}, formats.activations, "q",
                                Fill::normal(deviation));
  const Shape cache{batch.pages(), heads.kv, kPageTokens, heads.width};
  const Value k_cache = builder.state(cache, formats.cache, "k_cache");
  const Value v_cache = builder.state(cache, formats.cache, "v_cache");
  const Value out = builder.output({values.rows, heads.count * heads.width}, formats.activations, "out");
  return builder.record(Attention{.q = q,
                                  .paging = values.paging,
                                  .k_cache = k_cache,
                                  .v_cache = v_cache,
                                  .out = out,
                                  .scale = 1 / std::sqrt(static_cast<float>(heads.width))});
}

// Everything in 16 bits, as devices with matrix units have it. Capacities are such that these are prompts: no
// splits of the keys.
void add_prompts(std::vector<Case>& all) {
  constexpr Formats kF16{Format::f16, Format::f16};
  constexpr Formats kBF16{Format::bf16, Format::bf16};
  const Batch one{.capacity = 256, .sequences = {{1, 0, 130}}};
  const Batch odd{.capacity = 200, .sequences = {{2, 60, 45}, {0, 0, 71}, {1, 127, 33}}};
  const Batch uneven{.capacity = 160, .sequences = {{0, 0, 128}, {3, 100, 1}, {1, 3, 0}}};
  all.push_back(attended(one, {4, 1, 64}, kBF16));
  all.push_back(attended(one, {2, 2, 128}, kF16));
  all.push_back(attended(odd, {8, 1, 64}, kF16));
  all.push_back(attended(odd, {8, 2, 128}, kBF16));
  all.push_back(attended(odd, {3, 1, 128}, kBF16));
  all.push_back(attended(uneven, {2, 2, 64}, kBF16));
  all.push_back(attended(odd, {4, 1, 64}, kBF16, 40));
  // Heads enough for a large GPU to have work for all of it: there a kernel may take more rows at a time.
  const Batch several{.slots = 2, .sequences = {{1, 70, 45}, {0, 0, 51}}};
  const Batch prefixed{.slots = 2, .sequences = {{1, 30, 97}}};
  const Batch far{.slots = 1, .pages_a_slot = 5, .sequences = {{0, 230, 40}}};  // pages enough for any ring
  for (Case& wide :
       std::array{attended(several, {528, 66, 128}, kBF16), attended(prefixed, {528, 528, 64}, kF16),
                  attended(prefixed, {528, 528, 64}, kBF16), attended(far, {848, 8, 64}, kBF16)}) {
    wide.quick = false;
    all.push_back(std::move(wide));
  }
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
    all.push_back(attended(batches[2], {8, 2, 64}, {format}));
    all.push_back(attended(batches[4], {4, 4, 80}, {format}));
    all.push_back(attended(batches[2], {8, 2, 64}, {format, format}));
    all.push_back(attended(batches[4], {4, 1, 128}, {format, format}));
  }
  all.push_back(attended(batches[2], {4, 1, 64}, {}, 40));
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
  add_prompts(all);
  return all;
}

}  // namespace linnet
