// What a template may use before it is stopped. A template comes with a model, that is from a stranger.
#pragma once

#include <cstddef>
#include <cstdint>

namespace linnet::jinja {

struct Options {
  size_t max_source = size_t{256} << 10;  // bytes of template text; the largest published ones have 30 KB
  size_t max_output = size_t{64} << 20;   // bytes of the result, and of any one string on the way
  size_t max_memory = size_t{256} << 20;  // bytes of all values alive at one time
  // One step is about one node evaluated, one element visited or 64 bytes copied: 20 million are a second or
  // two, and a hundred times what a thousand messages with tools need.
  uint64_t max_steps = 20'000'000;
  size_t max_depth = 1500;       // nested evaluations, macros included: about 1 KiB of stack each
  size_t max_nesting = 200;      // brackets and blocks inside each other in the source
  size_t max_value_depth = 200;  // lists inside lists
};

}  // namespace linnet::jinja
