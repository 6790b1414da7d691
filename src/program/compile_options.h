// What a program leaves open and a device decides when it compiles.
#pragma once

#include "format/format.h"

namespace linnet {

struct CompileOptions {
  Format activations = Format::f32;  // what Format::compute becomes
  Format kv = Format::f32;           // what Format::kv becomes
  bool fuse = true;                  // keep fused ops where the device has them; off for bisect and tests
  bool reuse_scratch = true;         // off: every value stays readable after the run
};

}  // namespace linnet
