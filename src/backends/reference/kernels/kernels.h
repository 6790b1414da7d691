// The kernels: one evaluate() per primitive op, each in the file named after it.
#pragma once

#include "backends/reference/operands.h"
#include "program/op.h"

namespace linnet::reference {

void evaluate(const Embedding& op, Operands& operands);
void evaluate(const Linear& op, Operands& operands);
void evaluate(const Add& op, Operands& operands);
void evaluate(const RmsNorm& op, Operands& operands);
void evaluate(const LayerNorm& op, Operands& operands);
void evaluate(const Softmax& op, Operands& operands);
void evaluate(const Activation& op, Operands& operands);
void evaluate(const GatedActivation& op, Operands& operands);
void evaluate(const RopeAngles& op, Operands& operands);
void evaluate(const Rope& op, Operands& operands);
void evaluate(const KvStore& op, Operands& operands);
void evaluate(const Attention& op, Operands& operands);
void evaluate(const Quantize& op, Operands& operands);
void evaluate(const Sample& op, Operands& operands);

}  // namespace linnet::reference
