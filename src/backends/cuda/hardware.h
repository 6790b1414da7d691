// What decides, beside shapes and formats, which kernel an op gets and what workspace that needs.
#pragma once

#include <cstdint>

namespace linnet::cuda {

struct Hardware {
  uint32_t processors = 0;
  bool cublas = false;  // cuBLASLt is there
  bool panels = false;  // kernels/panel.h
  bool slabs = false;   // kernels/slab.h
};

}  // namespace linnet::cuda
