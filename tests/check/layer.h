// A decoder layer over a ragged batch, for tests of whole programs: its five stages with weights of three
// formats.
#pragma once

#include "check/case.h"
#include "check/cases/batch.h"

namespace linnet {

struct Layer {
  Case what;
  Value attended, gated, out;

  Layer() {
    CaseBuilder builder("layer");
    const Batch batch{.capacity = 6, .sequences = {{1, 62, 4}, {0, 3, 1}}};
    const BatchValues values = add_batch(builder, batch);
    const Value x = builder.input({values.rows, 64}, Format::f32, "x");
    const Value norm = builder.weight({Dim(64)}, Format::f32, "norm");
    const Value qkv = builder.weight({128, 64}, Format::q8_0, "qkv", Fill::normal(0.2f));
    const Value angles = builder.input({values.rows, 8, 2}, Format::f32, "angles", Fill::normal(0.6f));
    const Value k_cache = builder.state({batch.pages(), 2, kPageTokens, 16}, Format::f32, "k_cache");
    const Value v_cache = builder.state({batch.pages(), 2, kPageTokens, 16}, Format::f32, "v_cache");
    Recorder& recorder = builder.recorder();
    const Value q = recorder.scratch({values.rows, 4, 16}, Format::f32, "q");
    recorder.record(NormQkvRopeStore{.x = x,
                                     .norm = norm,
                                     .weight = qkv,
                                     .bias = {},
                                     .angles = angles,
                                     .paging = values.paging,
                                     .k_cache = k_cache,
                                     .v_cache = v_cache,
                                     .out = q});
    attended = attention(recorder, q, values.paging, k_cache, v_cache, 0.25f, "attended");
    const Value o = builder.weight({64, 64}, Format::f16, "o", Fill::normal(0.2f));
    const Value middle = linear_add(recorder, attended, o, {}, x, "middle");
    const Value gate_up = builder.weight({192, 64}, Format::f32, "gate_up", Fill::normal(0.2f));
    gated = norm_gated_linear(recorder, middle, norm, 1e-5f, gate_up, {}, ActivationKind::silu, "gated");
    const Value down = builder.weight({64, 96}, Format::q8_0, "down", Fill::normal(0.2f));
    out = builder.output({values.rows, 64}, Format::f32, "out");
    what = builder.record(LinearAdd{.x = gated, .weight = down, .bias = {}, .residual = middle, .out = out});
  }
};

}  // namespace linnet
