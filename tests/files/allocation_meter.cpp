#include "files/allocation_meter.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<size_t> total{0};

void* counted(size_t size) noexcept {
  total += size;
  return std::malloc(size > 0 ? size : 1);
}

}  // namespace

// The array forms call these. The nothrow form is replaced too: under the address sanitizer it would
// otherwise come from the sanitizer's own allocator and end in our delete.
void* operator new(size_t size) {
  if (void* memory = counted(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return counted(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace linnet::test {

size_t allocated_bytes() noexcept {
  return total;
}

}  // namespace linnet::test
