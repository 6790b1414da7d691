#include "target.h"

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

namespace {

[[nodiscard]] double processor_seconds() noexcept {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

// A sanitizer tidies up its memory now and then, in the middle of whatever runs, and the machine may have
// other things to do: what took too long is run again, and has to take too long three times.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace linnet::fuzz;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  for (int attempt = 1;; ++attempt) {
    const double begin = processor_seconds();
    const size_t allocated_before = allocated;
    check_input(input);
    FUZZ_CHECK(allocated - allocated_before <= kMostBytes);
    if (processor_seconds() - begin <= kMostSeconds) return 0;
    FUZZ_CHECK(attempt < 3);
  }
}
