#include "device/host_buffer.h"

#include <sys/mman.h>

#include <cstring>

#include "base/checked.h"

namespace linnet {
namespace {

// Huge pages spare the walk through page tables while weights are streamed.
constexpr size_t kHugePage = size_t{2} << 20;

std::byte* map_zeroed(size_t bytes) {
  void* address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    fail(ErrorKind::does_not_fit, "the system has no ", bytes, " bytes of memory left");
  if (bytes >= kHugePage) ::madvise(address, bytes, MADV_HUGEPAGE);
  std::memset(address, 0, bytes);
  return static_cast<std::byte*>(address);
}

}  // namespace

void HostBuffer::Unmap::operator()(std::byte* memory) const noexcept {
  ::munmap(memory, bytes);
}

HostBuffer::HostBuffer(size_t bytes)
    : bytes_(bytes), memory_(map_zeroed(bytes == 0 ? 1 : bytes), Unmap{bytes == 0 ? 1 : bytes}) {}

void HostBuffer::write(size_t offset, std::span<const std::byte> from) {
  if (offset > bytes_ || from.size() > bytes_ - offset) {
    fail(ErrorKind::failure, "[write] ", from.size(), " bytes at ", offset, " do not lie in a buffer of ",
         bytes_);
  }
  if (!from.empty()) std::memcpy(data() + offset, from.data(), from.size());
}

void HostBuffer::read(size_t offset, std::span<std::byte> into) const {
  if (offset > bytes_ || into.size() > bytes_ - offset) {
    fail(ErrorKind::failure, "[read] ", into.size(), " bytes at ", offset, " do not lie in a buffer of ",
         bytes_);
  }
  if (!into.empty()) std::memcpy(into.data(), data() + offset, into.size());
}

}  // namespace linnet
