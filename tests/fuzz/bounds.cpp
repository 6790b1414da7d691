#include "bounds.h"

#include <cstdlib>
#include <ctime>
#include <new>

namespace {

thread_local size_t allocated = 0;

[[nodiscard]] void* allocate(size_t size) noexcept {
  allocated += size;
  return std::malloc(size == 0 ? 1 : size);
}

[[nodiscard]] void* allocate_or_throw(size_t size) {
  void* memory = allocate(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(size_t size) {
  return allocate_or_throw(size);
}
void* operator new[](size_t size) {
  return allocate_or_throw(size);
}
// std::stable_sort asks for these.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, size_t) noexcept {
  std::free(memory);
}

namespace linnet::fuzz {
namespace {

[[nodiscard]] double processor_seconds() noexcept {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

Cost::Cost() noexcept : begin_(processor_seconds()), allocated_(allocated) {}

double Cost::seconds() const noexcept {
  return processor_seconds() - begin_;
}

size_t Cost::bytes() const noexcept {
  return allocated - allocated_;
}

}  // namespace linnet::fuzz
