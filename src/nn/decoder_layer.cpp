#include "nn/decoder_layer.h"

namespace linnet {

Value decoder_layer(Recorder& recorder, Value x, Value angles, const Paging& paging, const KvCache& cache,
                    const DecoderLayerWeights& weights, const DecoderLayerShape& shape) {
  const Dim rows = recorder.program().shape(x)[0];
  const Value q = recorder.scratch({rows, shape.heads, shape.head_width}, Format::compute, "q");
  recorder.record(NormQkvRopeStore{.x = x,
                                   .norm = weights.attention_norm,
                                   .weight = weights.qkv,
                                   .bias = weights.qkv_bias,
                                   .angles = angles,
                                   .paging = paging,
                                   .k_cache = cache.keys,
                                   .v_cache = cache.values,
                                   .out = q,
                                   .epsilon = shape.epsilon,
                                   .pairs = shape.pairs});
  const Value seen =
      attention(recorder, q, paging, cache.keys, cache.values, shape.attention_scale, "attention");
  const Value attended =
      linear_add(recorder, seen, weights.attention_out, weights.attention_out_bias, x, "attended");
  const Value gated = norm_gated_linear(recorder, attended, weights.mlp_norm, shape.epsilon, weights.gate_up,
                                        weights.gate_up_bias, shape.activation, "gated");
  return linear_add(recorder, gated, weights.down, weights.down_bias, attended, "out");
}

}  // namespace linnet
