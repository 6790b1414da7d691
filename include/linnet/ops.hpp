// Single ops on tensors: each runs on the device where its operands live, and its result lives there.
// Operands on different devices are an Error(usage), as are shapes and formats that do not fit: "[rms_norm]
// weight: expected [64], got [63]". A result has the format of x where nothing else is said. A tensor used as
// table, weight or bias is laid out for the device's kernels the first time, and keeps that layout.
#pragma once

#include <cstdint>

#include "linnet/export.hpp"
#include "linnet/tensor.hpp"

namespace linnet::LINNET_V0 {

// Row ids[i] of table [entries, width] as row i: [n, width] f32. ids: [n] i32.
[[nodiscard]] LINNET_API Tensor embedding(const Tensor& table, const Tensor& ids);

// x [rows…, k] times the rows of weight [n, k], plus bias [n]: [rows…, n]; f32 for an x of format q8_a.
[[nodiscard]] LINNET_API Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});

[[nodiscard]] LINNET_API Tensor add(const Tensor& a, const Tensor& b);

// x / sqrt(mean(x²) + epsilon) · weight, over the last dimension.
[[nodiscard]] LINNET_API Tensor rms_norm(const Tensor& x, const Tensor& weight, float epsilon = 1e-5f);

// (x − mean) / sqrt(variance + epsilon) · weight + bias, over the last dimension; weight and bias may be left
// out.
[[nodiscard]] LINNET_API Tensor layer_norm(const Tensor& x, const Tensor& weight = {},
                                           const Tensor& bias = {}, float epsilon = 1e-5f);

// Over the last dimension; −infinity is a masked entry.
[[nodiscard]] LINNET_API Tensor softmax(const Tensor& x);

enum class Activation : uint8_t {
  silu,       // x / (1 + exp(−x))
  gelu,       // x · Φ(x), with the error function
  gelu_tanh,  // x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³)))
};
[[nodiscard]] LINNET_API Tensor activation(const Tensor& x, Activation kind);

// x [rows, 2 · width] holds gates, then values: kind(gate) · value, [rows, width].
[[nodiscard]] LINNET_API Tensor gated_activation(const Tensor& x, Activation kind);

enum class RopePairs : uint8_t {
  adjacent,  // (0, 1), (2, 3), …: Llama as GGUF files store it
  halves,    // (0, n), (1, n + 1), … with n pairs: the layout of transformers
};
struct RopeOptions {
  double base = 10000;
  uint32_t pairs = 0;  // pairs of each head that are rotated; 0: all
  RopePairs layout = RopePairs::adjacent;
};
// x [rows, heads, width]; positions [rows] i32.
[[nodiscard]] LINNET_API Tensor rope(const Tensor& x, const Tensor& positions,
                                     const RopeOptions& options = {});

struct AttentionOptions {
  float scale = 0;  // 0: 1 / sqrt(width)
};
// Causal, with grouped heads: q [rows, heads, width], k and v [tokens, kv_heads, width] with tokens ≥ rows.
// The queries are those of the last rows: row r sees the tokens 0 to tokens − rows + r. Gives [rows, heads ·
// width].
[[nodiscard]] LINNET_API Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                          const AttentionOptions& options = {});

// x [rows…, width] as q8_a, for products with integers; width is a multiple of 32.
[[nodiscard]] LINNET_API Tensor quantize(const Tensor& x);

}  // namespace linnet::LINNET_V0
