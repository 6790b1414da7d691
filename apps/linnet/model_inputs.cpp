#include "model_inputs.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace linnet::cli {
namespace {

std::vector<std::byte> to_bytes(std::span<const int32_t> words) {
  const auto bytes = std::as_bytes(words);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

ModelInputs::ModelInputs(const TensorFile& file, const TextPrograms& programs, std::vector<Token> tokens)
    : file_(file), programs_(programs), tokens_(std::move(tokens)) {}

const Program& ModelInputs::program() const {
  return programs_.prompts[programs_.prompt_with_room(static_cast<uint32_t>(tokens_.size()))];
}

ProgramInputs::Weight ModelInputs::weight(Value value) const {
  const std::string& name = program().info(value).name;
  if (name == programs_.rope.name) {
    const std::vector<float> values = llama_rope_values(programs_.config);
    return {.spec = programs_.rope, .source = source_of(programs_.rope, std::as_bytes(std::span(values)))};
  }
  const auto found =
      std::ranges::find(programs_.weights, name, [](const JoinedWeight& each) { return each.spec.name; });
  if (found == programs_.weights.end())
    fail(ErrorKind::failure, "the program has a weight that no file has: ", name);
  return {.spec = found->spec, .source = weight_source(file_, *found)};
}

std::vector<int32_t> ModelInputs::words(std::string_view name, size_t size) const {
  const auto rows = static_cast<int32_t>(tokens_.size());
  if (name == names::kTokens) return tokens_;
  if (name == names::kPositions) {
    std::vector<int32_t> positions(tokens_.size());
    std::iota(positions.begin(), positions.end(), 0);
    return positions;
  }
  if (name == names::kRowStarts) return {0, rows};
  if (name == names::kLastRows) return {rows - 1};
  if (name == names::kSlotPositions) return {rows - 1};  // of the row that the draw is from
  if (name == names::kSlotRemaining) return {1};
  if (name == names::kStopIds) return std::vector<int32_t>(size, -1);
  if (name == names::kPageTable) {
    std::vector<int32_t> pages(size);
    std::iota(pages.begin(), pages.end(), 1);  // page 0 belongs to nobody
    return pages;
  }
  return {};  // zeros: slot 0, a greedy draw, empty caches
}

std::vector<std::byte> ModelInputs::contents(Value value, const ValueInfo& info) const {
  if (info.format != Format::i32) return {};
  return to_bytes(words(program().info(value).name, info.shape.elements()));
}

std::vector<uint32_t> ModelInputs::extents() const {
  return {static_cast<uint32_t>(tokens_.size()), 1, 1};
}

}  // namespace linnet::cli
