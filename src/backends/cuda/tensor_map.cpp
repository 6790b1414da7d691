#include "backends/cuda/tensor_map.h"

#include <cuda_runtime_api.h>

#include <array>

#include "backends/cuda/check.h"

namespace linnet::cuda {
namespace {

constexpr uint32_t kBoxColumns = 64;

// Of the driver, which is not linked: a build for GPUs starts without it.
[[nodiscard]] decltype(&cuTensorMapEncodeTiled) encoder() {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result),
        "asking the driver for tensor maps");
  if (result != cudaDriverEntryPointSuccess || found == nullptr)
    fail(ErrorKind::failure, "[cuda] the driver knows no tensor maps");
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
}

}  // namespace

CUtensorMap tensor_map_of(const Boxes& boxes) {
  const bool codes = boxes.format == Format::q8_0;
  const size_t number = codes ? 1 : bytes_of(boxes.format, 1);
  const std::array<cuuint64_t, 2> size{boxes.columns, boxes.rows};
  const std::array<cuuint64_t, 1> stride{boxes.stride * number};
  const std::array<cuuint32_t, 2> box{kBoxColumns, boxes.box_rows};
  const std::array<cuuint32_t, 2> step{1, 1};
  CUtensorMap map{};
  const CUresult status = encoder()(&map,
                                    codes                         ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                                    : boxes.format == Format::f16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                                                  : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
                                    2, const_cast<std::byte*>(boxes.data), size.data(), stride.data(),
                                    box.data(), step.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
                                    !boxes.swizzled ? CU_TENSOR_MAP_SWIZZLE_NONE
                                    : codes         ? CU_TENSOR_MAP_SWIZZLE_64B
                                                    : CU_TENSOR_MAP_SWIZZLE_128B,
                                    CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS)
    fail(ErrorKind::failure, "[cuda] a tensor map of ", boxes.rows, " × ", boxes.columns, " numbers: status ",
         static_cast<int>(status));
  return map;
}

CUtensorMap tensor_map_of(const Matrix& weight, uint32_t box_rows, bool swizzled) {
  return tensor_map_of({.data = weight.data,
                        .format = weight.format,
                        .rows = weight.rows,
                        .columns = weight.columns,
                        .stride = weight.columns,
                        .box_rows = box_rows,
                        .swizzled = swizzled});
}

CUtensorMap tensor_map_of(const Tensor& x, uint32_t rows, uint32_t columns, uint32_t box_rows) {
  return tensor_map_of({.data = x.data,
                        .format = x.format,
                        .rows = rows,
                        .columns = columns,
                        .stride = x.stride,
                        .box_rows = box_rows});
}

}  // namespace linnet::cuda
