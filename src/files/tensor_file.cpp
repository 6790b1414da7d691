#include "files/tensor_file.h"

#include <utility>

#include "base/error.h"
#include "base/quoted.h"

namespace linnet {

Format TensorInfo::readable_format() const {
  if (!format) {
    fail(ErrorKind::model, "tensor ", quoted_name(name), " has format ", stored_format,
         ", which this version does not read; use a file with F32, F16, BF16 or Q8_0 weights");
  }
  return *format;
}

TensorFile::TensorFile(std::vector<MappedFile> files, Metadata metadata, std::vector<TensorInfo> tensors)
    : files_(std::move(files)), metadata_(std::move(metadata)), tensors_(std::move(tensors)) {
  for (size_t i = 0; i < tensors_.size(); ++i) index_.emplace(tensors_[i].name, i);
}

const TensorInfo* TensorFile::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &tensors_[found->second];
}

const TensorInfo& TensorFile::get(std::string_view name) const {
  const TensorInfo* tensor = find(name);
  if (tensor == nullptr) fail(ErrorKind::model, "'", path().string(), "' has no tensor ", quoted_name(name));
  return *tensor;
}

std::span<const std::byte> TensorFile::bytes(const TensorInfo& tensor) const {
  return files_[tensor.file].bytes().subspan(tensor.offset, tensor.bytes);
}

void TensorFile::read(const TensorInfo& tensor, size_t offset, std::span<std::byte> into) const {
  if (offset > tensor.bytes || into.size() > tensor.bytes - offset) {
    fail(ErrorKind::failure, "[read] ", into.size(), " bytes at ", offset, " do not lie in tensor ",
         quoted_name(tensor.name));
  }
  files_[tensor.file].read(tensor.offset + offset, into);
}

}  // namespace linnet
