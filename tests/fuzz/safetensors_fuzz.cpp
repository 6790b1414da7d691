// Any bytes as a safetensors file, and as an index of several: read or refused with Error(model), nothing
// else; what was read fills the data section without a gap.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "files/safetensors.h"
#include "target.h"

namespace linnet {
namespace {

void check_tensors(const SafetensorsContents& contents, size_t file_size) {
  size_t end = contents.data_offset;
  for (const TensorInfo& tensor : contents.tensors) {
    FUZZ_CHECK(tensor.offset == end);
    FUZZ_CHECK(tensor.bytes <= file_size - end);
    FUZZ_CHECK(!tensor.stored_format.empty());
    if (tensor.format) FUZZ_CHECK(bytes_of(*tensor.format, tensor.elements) == tensor.bytes);
    end += tensor.bytes;
  }
  FUZZ_CHECK(end == file_size);
}

}  // namespace
}  // namespace linnet

void linnet::fuzz::check_input(std::string_view input) {
  const std::span file(reinterpret_cast<const std::byte*>(input.data()), input.size());
  // A file that begins with a brace would have a header of exabytes; such an input is tried as an index.
  if (!input.starts_with('{')) {
    attempt([&] { check_tensors(parse_safetensors(file), file.size()); });
    return;
  }
  attempt([&] {
    for (const auto& [tensor, shard] : parse_safetensors_index(input, "index"))
      FUZZ_CHECK(shard.find('/') == shard.npos && !shard.starts_with('.') && shard.ends_with(".safetensors"));
  });
}
