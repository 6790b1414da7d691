// Steady decode allocates nothing: operator new is counted between two points of a running generation.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "runtime/devices.h"
#include "runtime/sequences.h"
#include "runtime/tiny_model.h"
#include "tasks/generate.h"

namespace {
std::atomic<size_t> allocations{0};
}

void* operator new(size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  const auto align = static_cast<size_t>(alignment);
  if (void* memory = std::aligned_alloc(align, (bytes + align - 1) / align * align)) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace linnet {
namespace {

using testing::Tokens;

TEST(Allocations, AreCounted) {
  const size_t before = allocations;
  const auto memory = std::make_unique<int>(1);
  EXPECT_GT(allocations, before) << *memory;
}

class AllocationsOn : public testing::EachDevice {};
// The reference computes in vectors that it makes.
INSTANTIATE_TEST_SUITE_P(On, AllocationsOn, ::testing::Values("cpu", "cuda"), testing::device_name);

TEST_P(AllocationsOn, DecodeOfSeveralSlotsMakesNone) {
  constexpr size_t kInFlight = 12;
  for (const Format format : {Format::f32, Format::q8_0}) {
    TextModel model(testing::open_tiny_model({.format = format}), *device, {.context = 256, .slots = 4});
    for (uint32_t i = 0; i < 3; ++i) {
      const Tokens tokens = testing::some_tokens(10, i, model.vocabulary());
      const uint32_t slot = model.begin({.temperature = 0.8f, .top_k = 40, .top_p = 0.9f}, 256);
      const PromptPart part{.slot = slot, .tokens = tokens, .generate = 200};
      model.prompt({&part, 1});
    }
    int32_t token = 0;
    size_t asked = 0, arrived = 0;
    const auto wait_for = [&](size_t count) {
      while (arrived < count) {
        device->wait(std::chrono::milliseconds(100));
        device->poll();
      }
    };
    const auto step = [&] {
      model.decode();
      for (uint32_t slot = 0; slot < 3; ++slot) {
        model.read_tokens(slot, model.length(slot) - 1, {&token, 1}, [&arrived](const Error*) { ++arrived; });
        ++asked;
      }
      wait_for(asked - std::min(asked, kInFlight));
    };
    for (int i = 0; i < 10; ++i) step();
    const size_t before = allocations;
    for (int i = 0; i < 150; ++i) step();
    EXPECT_EQ(allocations, before) << format;
    wait_for(asked);
    EXPECT_EQ(arrived, size_t{3 * 160});
  }
}

TEST_P(AllocationsOn, GenerationMakesNoneBetweenItsTokens) {
  TextModel model(testing::open_tiny_model({}), *device, {});
  const auto tokenizer = make_tokenizer(model.files().tensors.metadata());
  size_t pieces = 0;
  size_t after_warming_up = 0;
  Generation generation(
      model, *tokenizer, testing::some_tokens(10, 1, model.vocabulary()),
      {.max_tokens = 150, .temperature = 0.9f, .stop = {"never met"}, .ignore_end = true, .steps_ahead = 4},
      [&](std::string_view) {
        if (++pieces == 10) after_warming_up = allocations;
        return true;
      });
  while (generation.tokens().size() < 140) {
    generation.step();
    device->poll();
  }
  EXPECT_EQ(allocations, after_warming_up);
  EXPECT_GT(pieces, size_t{10});
}

}  // namespace
}  // namespace linnet
