// What decides, beside shapes and formats, which kernel an op gets and what workspace that needs.
#pragma once

#include <cstdint>

namespace linnet::cuda {

struct Hardware {
  uint32_t processors = 0;
  bool cublas = false;      // cuBLASLt is there
  bool warpgroups = false;  // kernels/warpgroup.h
};

}  // namespace linnet::cuda
