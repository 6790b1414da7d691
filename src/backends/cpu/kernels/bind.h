// What every op's kernel file provides: how the op is bound to memory, and the workspace it needs. The op's
// own header under program/ops says what it means.
#pragma once

#include "backends/cpu/kernels/targets.h"
//
#include "backends/cpu/tensor.h"
#include "program/op.h"

namespace linnet::cpu {

BoundKernel bind_kernel(const Embedding& op, const Binder& binder);
BoundKernel bind_kernel(const Linear& op, const Binder& binder);
BoundKernel bind_kernel(const Add& op, const Binder& binder);
BoundKernel bind_kernel(const RmsNorm& op, const Binder& binder);
BoundKernel bind_kernel(const LayerNorm& op, const Binder& binder);
BoundKernel bind_kernel(const Softmax& op, const Binder& binder);
BoundKernel bind_kernel(const Activation& op, const Binder& binder);
BoundKernel bind_kernel(const GatedActivation& op, const Binder& binder);
BoundKernel bind_kernel(const RopeAngles& op, const Binder& binder);
BoundKernel bind_kernel(const Rope& op, const Binder& binder);
BoundKernel bind_kernel(const KvStore& op, const Binder& binder);
BoundKernel bind_kernel(const Attention& op, const Binder& binder);
BoundKernel bind_kernel(const Quantize& op, const Binder& binder);
BoundKernel bind_kernel(const Sample& op, const Binder& binder);
BoundKernel bind_kernel(const NormLinear& op, const Binder& binder);
BoundKernel bind_kernel(const NormQkvRopeStore& op, const Binder& binder);
BoundKernel bind_kernel(const LinearAdd& op, const Binder& binder);
BoundKernel bind_kernel(const NormGatedLinear& op, const Binder& binder);

// Bytes of workspace; ops that need some have their own overload.
template <class T>
size_t workspace_of(const T&, const Program&) {
  return 0;
}
size_t workspace_of(const Attention& op, const Program& program);
size_t workspace_of(const Sample& op, const Program& program);
size_t workspace_of(const NormLinear& op, const Program& program);
size_t workspace_of(const NormQkvRopeStore& op, const Program& program);
size_t workspace_of(const LinearAdd& op, const Program& program);
size_t workspace_of(const NormGatedLinear& op, const Program& program);

}  // namespace linnet::cpu
