// The list of all ops: a variant of small structs, each in a header of its own under ops/.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "program/ops/activation.h"
#include "program/ops/add.h"
#include "program/ops/attention.h"
#include "program/ops/embedding.h"
#include "program/ops/gated_activation.h"
#include "program/ops/kv_store.h"
#include "program/ops/layer_norm.h"
#include "program/ops/linear.h"
#include "program/ops/linear_add.h"
#include "program/ops/norm_gated_linear.h"
#include "program/ops/norm_linear.h"
#include "program/ops/norm_qkv_rope_store.h"
#include "program/ops/quantize.h"
#include "program/ops/rms_norm.h"
#include "program/ops/rope.h"
#include "program/ops/rope_angles.h"
#include "program/ops/sample.h"
#include "program/ops/softmax.h"

namespace linnet {

using Op = std::variant<Embedding, Linear, Add, RmsNorm, LayerNorm, Softmax, Activation, GatedActivation,
                        RopeAngles, Rope, KvStore, Attention, Quantize, Sample, NormLinear, NormQkvRopeStore,
                        LinearAdd, NormGatedLinear>;

// A fused op: its meaning is what expand() records.
template <class T>
concept Fused = requires(const T& op, Recorder& into) {
  op.expand(into);
};

[[nodiscard]] std::string_view op_name(const Op& op) noexcept;

// Calls visit(Value, Access, name) for each operand that is present.
template <class Visit>
void for_each_operand(const Op& op, Visit&& visit) {
  std::visit(
      [&](const auto& each) {
        std::remove_cvref_t<decltype(each)>::operands(
            each, [&](const Value& value, Access access, std::string_view name) {
              if (value) visit(value, access, name);
            });
      },
      op);
}

}  // namespace linnet
