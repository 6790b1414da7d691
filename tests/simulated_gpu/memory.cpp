#include "simulated_gpu/memory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "simulated_gpu/block.h"

namespace linnet::simulated {
namespace {

constexpr size_t kAlignment = 256;  // as cudaMalloc()
constexpr size_t kGuard = 256;
constexpr auto kGuardByte = std::byte{0x5A};

struct Memory {
  std::mutex mutex;
  std::map<const std::byte*, size_t> allocations;
  size_t used = 0;
};

// Outlives all that tests keep until the program ends.
Memory& all() {
  static Memory& memory = *new Memory;
  return memory;
}

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "simulated GPU: %s\n", what);
  std::abort();
}

[[nodiscard]] bool untouched(const std::byte* guard) {
  return std::all_of(guard, guard + kGuard, [](std::byte each) { return each == kGuardByte; });
}

}  // namespace

void* allocate(size_t bytes) {
  Memory& memory = all();
  const std::lock_guard lock(memory.mutex);
  if (bytes > kTotalMemory - memory.used) return nullptr;
  const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  auto* whole = static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded + 2 * kGuard));
  if (whole == nullptr) return nullptr;
  std::byte* data = whole + kGuard;
  std::fill_n(whole, kGuard, kGuardByte);
  std::memset(data, kUnwritten, bytes);
  std::fill_n(data + bytes, kGuard, kGuardByte);
  memory.allocations.emplace(data, bytes);
  memory.used += bytes;
  return data;
}

void release(void* pointer) {
  if (pointer == nullptr) return;
  Memory& memory = all();
  const std::lock_guard lock(memory.mutex);
  auto* data = static_cast<std::byte*>(pointer);
  const auto found = memory.allocations.find(data);
  if (found == memory.allocations.end()) give_up("what is freed was not allocated");
  if (!untouched(data - kGuard)) give_up("something was written before the beginning of a buffer");
  if (!untouched(data + found->second)) give_up("something was written behind the end of a buffer");
  memory.used -= found->second;
  memory.allocations.erase(found);
  std::free(data - kGuard);
}

size_t free_memory() {
  Memory& memory = all();
  const std::lock_guard lock(memory.mutex);
  return kTotalMemory - memory.used;
}

bool is_device_memory(const void* pointer, size_t bytes) {
  Memory& memory = all();
  const std::lock_guard lock(memory.mutex);
  const auto* data = static_cast<const std::byte*>(pointer);
  auto next = memory.allocations.upper_bound(data);
  if (next == memory.allocations.begin()) return false;
  const auto& [begin, size] = *--next;
  const auto offset = static_cast<size_t>(data - begin);
  return offset <= size && bytes <= size - offset;
}

}  // namespace linnet::simulated
