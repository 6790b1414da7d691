#include "files/gguf_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "base/quoted.h"
#include "files/gguf.h"

namespace linnet {
namespace {

constexpr uint32_t kVersion = 3;
constexpr uint32_t kArrayType = 9;

class Bytes {
 public:
  template <class Number>
  void number(Number value) {
    static_assert(std::is_arithmetic_v<Number> && std::endian::native == std::endian::little);
    append(&value, sizeof value);
  }
  void string(std::string_view text) {
    number<uint64_t>(text.size());
    append(text.data(), text.size());
  }
  void pad(size_t alignment) { bytes_.resize(align_up(bytes_.size(), alignment)); }
  [[nodiscard]] std::vector<std::byte> take() && { return std::move(bytes_); }

 private:
  void append(const void* data, size_t size) {
    const size_t end = bytes_.size();
    bytes_.resize(end + size);
    if (size > 0) std::memcpy(bytes_.data() + end, data, size);
  }

  std::vector<std::byte> bytes_;
};

void put(Bytes& out, const std::string& text) {
  out.string(text);
}

template <class Number>
requires std::is_arithmetic_v<Number>
void put(Bytes& out, Number value) {
  if constexpr (std::is_same_v<Number, bool>) {
    out.number<uint8_t>(value ? 1 : 0);
  } else {
    out.number(value);
  }
}

void put_elements(Bytes& out, const StringArray& array) {
  out.number<uint64_t>(array.views().size());
  for (const std::string_view text : array.views()) out.string(text);
}

template <class Number>
void put_elements(Bytes& out, const std::vector<Number>& numbers) {
  out.number<uint64_t>(numbers.size());
  for (const Number number : numbers) put(out, number);
}

void put(Bytes& out, const MetadataArray& array) {
  out.number(static_cast<uint32_t>(array.index() < kArrayType ? array.index() : array.index() + 1));
  std::visit([&](const auto& elements) { put_elements(out, elements); }, array);
}

[[nodiscard]] const GgufType& type_of(const GgufTensor& tensor) {
  const GgufType* type = gguf_type(tensor.format);
  if (type == nullptr)
    fail(ErrorKind::usage, "gguf has no tensor type for the format ", tensor.format, " of ",
         quoted_name(tensor.name));
  return *type;
}

[[nodiscard]] size_t bytes_of(const GgufTensor& tensor) {
  const GgufType& type = type_of(tensor);
  size_t elements = 1;
  for (const uint64_t dimension : tensor.shape) elements = size_product(elements, dimension);
  const uint64_t row = tensor.shape.empty() ? 1 : tensor.shape.back();
  if (elements == 0 || tensor.shape.size() > kGgufMostDimensions || row % type.block_elements != 0) {
    fail(ErrorKind::usage, "tensor ", quoted_name(tensor.name), " cannot be stored as ", type.name,
         ": it has ", tensor.shape.size(), " dimensions, ", elements, " elements and rows of ", row);
  }
  return size_product(elements / type.block_elements, type.block_bytes);
}

[[nodiscard]] size_t alignment_of(const Metadata& metadata) {
  const uint32_t alignment = metadata.find_u32("general.alignment").value_or(kGgufDefaultAlignment);
  if (!std::has_single_bit(alignment) || alignment < kGgufSmallestAlignment ||
      alignment > kGgufLargestAlignment) {
    fail(ErrorKind::usage, "general.alignment is ", alignment, "; expected a power of two from ",
         kGgufSmallestAlignment, " to ", kGgufLargestAlignment);
  }
  return alignment;
}

[[noreturn]] void fail_io(std::string_view what, const std::filesystem::path& path) {
  const int error = errno;
  fail(ErrorKind::failure, "cannot ", what, " '", path.string(), "': ", std::strerror(error));
}

// The rename itself is on disk only when the folder is.
void sync_folder_of(const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // a folder that can be written but not read: the file itself is complete
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

std::vector<std::byte> encode_gguf_header(const Metadata& metadata, std::span<const GgufTensor> tensors) {
  const size_t alignment = alignment_of(metadata);
  Bytes out;
  for (const char letter : std::string_view("GGUF")) out.number(letter);
  out.number(kVersion);
  out.number<uint64_t>(tensors.size());
  out.number<uint64_t>(metadata.entries().size());
  for (const auto& [key, value] : metadata.entries()) {
    out.string(key);
    out.number(static_cast<uint32_t>(value.index()));
    std::visit([&](const auto& stored) { put(out, stored); }, value);
  }
  size_t offset = 0;
  for (const GgufTensor& tensor : tensors) {
    out.string(tensor.name);
    out.number(static_cast<uint32_t>(tensor.shape.size()));
    for (auto dimension = tensor.shape.rbegin(); dimension != tensor.shape.rend(); ++dimension)
      out.number(*dimension);
    out.number(type_of(tensor).id);
    out.number<uint64_t>(offset);
    offset += align_up(bytes_of(tensor), alignment);
  }
  out.pad(alignment);
  return std::move(out).take();
}

GgufWriter::GgufWriter(std::filesystem::path target, const Metadata& metadata,
                       std::vector<GgufTensor> tensors)
    : target_(std::move(target)), alignment_(alignment_of(metadata)) {
  const std::vector<std::byte> header = encode_gguf_header(metadata, tensors);
  for (const GgufTensor& tensor : tensors) sizes_.push_back(bytes_of(tensor));
  open_temporary();
  try {
    write_raw(header);
  } catch (...) {  // the destructor of a half-made object does not run
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
    throw;
  }
}

void GgufWriter::open_temporary() {
  constexpr int kAttempts = 100;  // names left behind by processes that were killed
  // Beside the target, so that the rename stays within one file system.
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::string name = concat(target_.string(), ".partial-", ::getpid(), "-", attempt);
    descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) {
      temporary_ = name;
      return;
    }
    if (errno != EEXIST) break;
  }
  fail_io("create a file beside", target_);
}

GgufWriter::~GgufWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void GgufWriter::write_raw(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_io("write", temporary_);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void GgufWriter::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    if (current_ == sizes_.size())
      fail(ErrorKind::failure, "gguf: ", bytes.size(), " bytes more than the tensors have");
    const size_t size = std::min(bytes.size(), sizes_[current_] - written_of_current_);
    write_raw(bytes.first(size));
    bytes = bytes.subspan(size);
    written_of_current_ += size;
    if (written_of_current_ == sizes_[current_]) pad_and_advance();
  }
}

void GgufWriter::pad_and_advance() {
  // The last tensor is padded too: readers may ask for the whole data section.
  const std::vector<std::byte> zeros(align_up(written_of_current_, alignment_) - written_of_current_);
  write_raw(zeros);
  written_of_current_ = 0;
  ++current_;
}

void GgufWriter::finish() {
  if (current_ != sizes_.size()) {
    fail(ErrorKind::failure, "gguf: ", sizes_.size() - current_, " of ", sizes_.size(),
         " tensors are not complete");
  }
  if (::fsync(descriptor_) != 0) fail_io("flush", temporary_);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail_io("close", temporary_);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_io("rename the finished file to", target_);
  temporary_.clear();
  sync_folder_of(target_);
}

}  // namespace linnet
