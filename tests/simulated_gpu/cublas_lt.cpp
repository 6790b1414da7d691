// cuBLASLt for the simulated GPU, as a library of its own that the backend loads by LINNET_CUBLASLT: the
// thirteen functions that it looks for, as they are used. A product is enqueued, spoils its workspace, and
// takes only algorithms that were chosen for as many rows.
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstring>
#include <vector>

#include "simulated_gpu/launch.h"

using linnet::simulated::kUnwritten;

namespace {

struct Layout {
  cudaDataType type;
  uint64_t rows;
  uint64_t columns;
  int64_t stride;  // from one column to the next
};
struct Description {
  cublasOperation_t left = CUBLAS_OP_N;
};
struct Preference {
  size_t workspace = 0;
};

// What heuristics give back and a product wants to see again.
struct Algorithm {
  uint64_t mark;
  uint64_t most_rows;
  uint64_t workspace;
};
constexpr uint64_t kMark = 0x5EED0A160817ull;

Layout& layout_of(cublasLtMatrixLayout_t layout) {
  return *reinterpret_cast<Layout*>(layout);
}
Description& description_of(cublasLtMatmulDesc_t description) {
  return *reinterpret_cast<Description*>(description);
}
Preference& preference_of(cublasLtMatmulPreference_t preference) {
  return *reinterpret_cast<Preference*>(preference);
}

float number(const std::byte* data, cudaDataType type, uint64_t i) {
  if (type == CUDA_R_32F) return reinterpret_cast<const float*>(data)[i];
  if (type == CUDA_R_16F) return __half2float(reinterpret_cast<const __half*>(data)[i]);
  return __bfloat162float(reinterpret_cast<const __nv_bfloat16*>(data)[i]);
}

void set_number(std::byte* data, cudaDataType type, uint64_t i, float value) {
  if (type == CUDA_R_32F) {
    reinterpret_cast<float*>(data)[i] = value;
  } else if (type == CUDA_R_16F) {
    reinterpret_cast<__half*>(data)[i] = __float2half_rn(value);
  } else {
    reinterpret_cast<__nv_bfloat16*>(data)[i] = __float2bfloat16_rn(value);
  }
}

// The one attribute of a description that is used.
template <class T>
cublasStatus_t set_only(bool known, const void* value, size_t bytes, T& into) {
  if (!known || bytes != sizeof into) return CUBLAS_STATUS_NOT_SUPPORTED;
  std::memcpy(&into, value, sizeof into);
  return CUBLAS_STATUS_SUCCESS;
}

[[nodiscard]] std::vector<float> numbers(const std::byte* data, const Layout& layout) {
  std::vector<float> all(layout.rows * layout.columns);
  for (uint64_t column = 0; column < layout.columns; ++column)
    for (uint64_t row = 0; row < layout.rows; ++row)
      all[column * layout.rows + row] =
          number(data, layout.type, column * static_cast<uint64_t>(layout.stride) + row);
  return all;
}

// out = leftᵀ · right + share of added, columns one after another.
struct Product {
  Layout left, right, out;
  const std::byte* left_data;
  const std::byte* right_data;
  const std::byte* added;
  std::byte* out_data;
  std::byte* workspace;
  size_t workspace_bytes;
  float share;

  void operator()() const {
    std::memset(workspace, kUnwritten, workspace_bytes);
    const std::vector<float> a = numbers(left_data, left);
    const std::vector<float> b = numbers(right_data, right);
    for (uint64_t column = 0; column < out.columns; ++column) {
      for (uint64_t row = 0; row < out.rows; ++row) {
        double sum = 0;
        for (uint64_t k = 0; k < left.rows; ++k)
          sum += static_cast<double>(a[row * left.rows + k]) * static_cast<double>(b[column * left.rows + k]);
        const uint64_t place = column * static_cast<uint64_t>(out.stride) + row;
        const double before = share == 0 ? 0.0 : static_cast<double>(share * number(added, out.type, place));
        set_number(out_data, out.type, place, static_cast<float>(sum + before));
      }
    }
  }
};

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = nullptr;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t) {
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* description, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  if (compute != CUBLAS_COMPUTE_32F || scale != CUDA_R_32F) return CUBLAS_STATUS_NOT_SUPPORTED;
  *description = reinterpret_cast<cublasLtMatmulDesc_t>(new Description);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
  delete &description_of(description);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description,
                                              cublasLtMatmulDescAttributes_t attribute, const void* value,
                                              size_t bytes) {
  return set_only(attribute == CUBLASLT_MATMUL_DESC_TRANSA, value, bytes, description_of(description).left);
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t stride) {
  if (stride < static_cast<int64_t>(rows)) return CUBLAS_STATUS_INVALID_VALUE;
  *layout = reinterpret_cast<cublasLtMatrixLayout_t>(new Layout{type, rows, columns, stride});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete &layout_of(layout);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute, const void* value,
                                                size_t bytes) {
  return set_only(attribute == CUBLASLT_MATRIX_LAYOUT_COLS, value, bytes, layout_of(layout).columns);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete &preference_of(preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, size_t bytes) {
  return set_only(attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, value, bytes,
                  preference_of(preference).workspace);
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t right, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatmulPreference_t preference,
                                              int wanted, cublasLtMatmulHeuristicResult_t results[],
                                              int* found) {
  *found = wanted > 0 ? 1 : 0;
  if (*found == 0) return CUBLAS_STATUS_INVALID_VALUE;
  const Algorithm algorithm{kMark, layout_of(right).columns, preference_of(preference).workspace};
  static_assert(sizeof algorithm <= sizeof results->algo);
  std::memcpy(&results->algo, &algorithm, sizeof algorithm);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t description, const void* alpha,
                              const void* left, cublasLtMatrixLayout_t left_layout, const void* right,
                              cublasLtMatrixLayout_t right_layout, const void* beta, const void* added,
                              cublasLtMatrixLayout_t, void* out, cublasLtMatrixLayout_t out_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace, size_t workspace_bytes,
                              cudaStream_t stream) {
  Algorithm chosen;
  std::memcpy(&chosen, algorithm, sizeof chosen);
  const Layout& a = layout_of(left_layout);
  const Layout& b = layout_of(right_layout);
  const Layout& d = layout_of(out_layout);
  const bool right_sizes = a.rows == b.rows && a.columns == d.rows && b.columns == d.columns;
  const bool right_algorithm =
      chosen.mark == kMark && b.columns <= chosen.most_rows && workspace_bytes >= chosen.workspace;
  if (!right_sizes || !right_algorithm || description_of(description).left != CUBLAS_OP_T ||
      *static_cast<const float*>(alpha) != 1)
    return CUBLAS_STATUS_INVALID_VALUE;
  const Product product{.left = a,
                        .right = b,
                        .out = d,
                        .left_data = static_cast<const std::byte*>(left),
                        .right_data = static_cast<const std::byte*>(right),
                        .added = static_cast<const std::byte*>(added),
                        .out_data = static_cast<std::byte*>(out),
                        .workspace = static_cast<std::byte*>(workspace),
                        .workspace_bytes = workspace_bytes,
                        .share = *static_cast<const float*>(beta)};
  const cudaError_t status =
      linnet::simulated::launch(stream, {.grid = dim3(1), .block = dim3(1), .body = product});
  return status == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // extern "C"
