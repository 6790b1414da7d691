// Products of many rows through cuBLASLt, which is looked for when the first GPU is opened and may be absent:
// then kernels/linear.cu does the work.
#pragma once

#include <memory>

#include "backends/cuda/kernels/kernels.h"

namespace linnet::cuda {

// A product of one shape, ready for any number of rows up to its capacity.
class LtProduct {
 public:
  virtual ~LtProduct() = default;
  // out = x · weightᵀ, plus `added` (like out, f32) if it is there. Throws Error(failure).
  virtual void run(const Tensor& x, const Matrix& weight, const Tensor* added, const Tensor& out,
                   uint32_t rows, std::byte* workspace, const Common& common) = 0;
  // cuBLASLt loads a kernel when it first runs, which takes milliseconds: runs each algorithm once, with or
  // without `added` as given, unless a product of this shape has done so. The result is of no use to anybody.
  virtual void load(const Tensor& x, const Matrix& weight, const Tensor* added, const Tensor& out,
                    std::byte* workspace, cudaStream_t stream) = 0;
  // Rows of `out` that load() writes.
  [[nodiscard]] virtual uint32_t rows_to_load() const noexcept = 0;
};

class CublasLt {
 public:
  static constexpr size_t kWorkspace = size_t{32} << 20;

  virtual ~CublasLt() = default;
  // Of the environment: the library's file, or `none`; it is looked for in the usual places otherwise.
  static constexpr const char* kVariable = "LINNET_CUBLASLT";

  // What the variable says; null if the library is not installed, or not wanted. Throws Error if it is wanted
  // and not there.
  [[nodiscard]] static std::unique_ptr<CublasLt> load(const char* given);

  // A product of x and weight [n, k], both in `numbers`.
  [[nodiscard]] static bool takes(Format numbers, uint64_t x_stride, uint32_t n, uint32_t k, Format out,
                                  uint64_t out_stride) noexcept;
  // Chooses the algorithms for all row counts now, so that none is looked for later.
  [[nodiscard]] virtual std::unique_ptr<LtProduct> product(const Tensor& x, const Matrix& weight,
                                                           const Tensor& out, uint32_t capacity) = 0;
};

}  // namespace linnet::cuda
