// One layer of a decoder with pre-norm, grouped-query attention and a gated MLP, in five stages.
#pragma once

#include <cstdint>

#include "program/ops/activation.h"
#include "program/ops/paging.h"
#include "program/ops/rope.h"
#include "program/recorder.h"

namespace linnet {

struct DecoderLayerShape {
  uint32_t heads = 1;
  uint32_t kv_heads = 1;
  uint32_t head_width = 1;
  float epsilon = 1e-5f;
  float attention_scale = 1;
  RopePairs pairs = RopePairs::adjacent;
  ActivationKind activation = ActivationKind::silu;
};

// Biases are absent where a model has none.
struct DecoderLayerWeights {
  Value attention_norm;                     // [width]
  Value qkv, qkv_bias;                      // [(heads + 2 · kv_heads) · head_width, width]
  Value attention_out, attention_out_bias;  // [width, heads · head_width]
  Value mlp_norm;                           // [width]
  Value gate_up, gate_up_bias;              // [2 · mlp width, width]: gate, then up
  Value down, down_bias;                    // [width, mlp width]
};

struct KvCache {
  Value keys;    // [pages, kv_heads, kPageTokens, head_width]
  Value values;  // like keys
};

// x: [rows, width] f32, the residual stream; so is the result. angles: [rows, pairs, 2] of rope_angles().
[[nodiscard]] Value decoder_layer(Recorder& recorder, Value x, Value angles, const Paging& paging,
                                  const KvCache& cache, const DecoderLayerWeights& weights,
                                  const DecoderLayerShape& shape);

}  // namespace linnet
