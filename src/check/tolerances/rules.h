// The tolerance rules: one per primitive op, each in the file named after it.
#pragma once

#include "check/tolerance.h"
#include "program/op.h"

namespace linnet {

void tolerance_rule(const Embedding& op, Errors& errors);
void tolerance_rule(const Linear& op, Errors& errors);
void tolerance_rule(const Add& op, Errors& errors);
void tolerance_rule(const RmsNorm& op, Errors& errors);
void tolerance_rule(const LayerNorm& op, Errors& errors);
void tolerance_rule(const Softmax& op, Errors& errors);
void tolerance_rule(const Activation& op, Errors& errors);
void tolerance_rule(const GatedActivation& op, Errors& errors);
void tolerance_rule(const RopeAngles& op, Errors& errors);
void tolerance_rule(const Rope& op, Errors& errors);
void tolerance_rule(const KvStore& op, Errors& errors);
void tolerance_rule(const Attention& op, Errors& errors);
void tolerance_rule(const Quantize& op, Errors& errors);
void tolerance_rule(const Sample& op, Errors& errors);

}  // namespace linnet
