#include "files/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/quoted.h"
#include "files/json_node.h"
#include "files/safetensors_header.h"

namespace linnet {
namespace {

static_assert(std::endian::native == std::endian::little, "the length is read as it lies");

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  fail(ErrorKind::model, "safetensors: ", parts...);
}

struct StoredType {
  std::string_view name;
  uint32_t bits;
  std::optional<Format> format;
};

// Also those this version cannot compute with, so that their ranges can be checked and shown.
constexpr std::array<StoredType, 20> kTypes = {{
    {"F64", 64, {}},
    {"F32", 32, Format::f32},
    {"F16", 16, Format::f16},
    {"BF16", 16, Format::bf16},
    {"I64", 64, {}},
    {"I32", 32, Format::i32},
    {"I16", 16, {}},
    {"I8", 8, {}},
    {"U64", 64, {}},
    {"U32", 32, {}},
    {"U16", 16, {}},
    {"U8", 8, {}},
    {"BOOL", 8, {}},
    {"F8_E4M3", 8, {}},
    {"F8_E5M2", 8, {}},
    {"F8_E8M0", 8, {}},
    {"F6_E2M3", 6, {}},
    {"F6_E3M2", 6, {}},
    {"F4", 4, {}},
    {"C64", 64, {}},
}};

[[nodiscard]] const StoredType& type_of(const SafetensorsEntry& entry) {
  const auto* type = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&](const StoredType& each) { return each.name == entry.type; });
  if (type == kTypes.end())
    refuse("tensor ", quoted_name(entry.name), " has the unknown dtype ", quoted_name(entry.type));
  return *type;
}

[[nodiscard]] TensorInfo tensor_of(SafetensorsEntry& entry) {
  const StoredType& type = type_of(entry);
  std::optional<uint64_t> elements = 1;
  for (const uint64_t dimension : entry.shape)
    if (elements) elements = checked_multiply(*elements, dimension);
  const auto bits = elements ? checked_multiply(*elements, type.bits) : std::nullopt;
  if (!bits) refuse("tensor ", quoted_name(entry.name), ": its size does not fit in 64 bits");
  if (entry.begin > entry.end || *bits % 8 != 0 || entry.end - entry.begin != *bits / 8) {
    refuse("tensor ", quoted_name(entry.name), ": its shape in ", type.name, " takes ", *bits,
           " bits, but its data_offsets are ", entry.begin, " and ", entry.end);
  }
  TensorInfo tensor;
  tensor.name = std::move(entry.name);
  tensor.shape = std::move(entry.shape);
  tensor.format = type.format;
  tensor.stored_format = type.name;
  tensor.elements = *elements;
  tensor.offset = entry.begin;
  tensor.bytes = *bits / 8;
  return tensor;
}

// The data section is filled without a gap and without overlap, to the last byte.
void place_tensors(SafetensorsContents& contents, size_t data_size) {
  std::sort(contents.tensors.begin(), contents.tensors.end(), [](const TensorInfo& a, const TensorInfo& b) {
    return std::tie(a.offset, a.bytes, a.name) < std::tie(b.offset, b.bytes, b.name);
  });
  size_t end = 0;
  for (TensorInfo& tensor : contents.tensors) {
    if (tensor.offset != end) {
      refuse("the data of tensor ", quoted_name(tensor.name), " begins at ", tensor.offset, " where ", end,
             " is the end of what comes before: ", tensor.offset < end ? "they overlap" : "there is a hole");
    }
    if (tensor.bytes > data_size - end) {
      refuse("the data of tensor ", quoted_name(tensor.name), " ends at ", end + tensor.bytes,
             " but the file has ", data_size, " bytes of data");
    }
    end += tensor.bytes;
    tensor.offset += contents.data_offset;
  }
  if (end != data_size) refuse("the file has ", data_size, " bytes of data, its tensors only ", end);
}

// The path is put before the message of an error.
[[nodiscard]] SafetensorsContents parse_mapped(const MappedFile& file) {
  try {
    return parse_safetensors(file.bytes());
  } catch (const Error& error) {
    fail(error.kind(), "'", file.path().string(), "': ", error.what());
  }
}

[[nodiscard]] bool is_plain_name(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
           c == '_' || c == '.';
  };
  return name.size() <= 255 && name.ends_with(".safetensors") && !name.starts_with('.') &&
         std::all_of(name.begin(), name.end(), is_plain);
}

using Index = std::map<std::string, std::string>;  // tensor → shard

[[nodiscard]] Index read_index(const std::filesystem::path& index) {
  const MappedFile text(index);
  if (text.bytes().size() > kLargestSafetensorsHeader) {
    fail(ErrorKind::model, "'", index.string(), "' has ", text.bytes().size(), " bytes; at most ",
         kLargestSafetensorsHeader, " are read");
  }
  return parse_safetensors_index({reinterpret_cast<const char*>(text.bytes().data()), text.bytes().size()},
                                 index.string());
}

void refuse_missing(const std::filesystem::path& index, const std::vector<std::string>& shards) {
  std::vector<std::string> missing;
  for (const std::string& shard : shards) {
    std::error_code ignored;  // what cannot be looked at counts as missing
    if (!std::filesystem::exists(index.parent_path() / shard, ignored)) missing.push_back(shard);
  }
  if (missing.empty()) return;
  fail(ErrorKind::model, "'", index.string(), "' names files that are missing beside it: ", listed(missing));
}

void check_against_index(const std::filesystem::path& path, const Index& index,
                         const std::vector<std::string>& shards, const std::vector<TensorInfo>& tensors) {
  std::map<std::string_view, std::string_view> found;
  for (const TensorInfo& tensor : tensors) {
    const auto [place, is_new] = found.emplace(tensor.name, shards[tensor.file]);
    if (!is_new) {
      fail(ErrorKind::model, "'", path.string(), "': tensor ", quoted_name(tensor.name), " is in both ",
           place->second, " and ", shards[tensor.file]);
    }
  }
  for (const auto& [tensor, shard] : index) {
    const auto place = found.find(tensor);
    if (place == found.end() || place->second != shard)
      fail(ErrorKind::model, "'", path.string(), "': tensor ", quoted_name(tensor), " is not in ", shard);
  }
}

}  // namespace

SafetensorsContents parse_safetensors(std::span<const std::byte> file) {
  uint64_t length = 0;
  if (file.size() < sizeof length)
    refuse("the file has ", file.size(), " bytes; the header's length alone takes ", sizeof length);
  std::memcpy(&length, file.data(), sizeof length);
  const size_t left = file.size() - sizeof length;
  if (length > kLargestSafetensorsHeader)
    refuse("the header's length is ", length, "; at most ", kLargestSafetensorsHeader, " are allowed");
  if (length > left) refuse("the header's length is ", length, " where ", left, " bytes are left");
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + sizeof length, length);
  if (!text.starts_with('{')) refuse("the header does not begin with '{'");

  SafetensorsContents contents;
  contents.data_offset = sizeof length + length;
  SafetensorsHeader header = read_safetensors_header(text);
  contents.metadata = std::move(header.metadata);
  contents.tensors.reserve(header.entries.size());
  for (SafetensorsEntry& entry : header.entries) contents.tensors.push_back(tensor_of(entry));
  place_tensors(contents, left - length);
  return contents;
}

std::map<std::string, std::string> parse_safetensors_index(std::string_view text, const std::string& name) {
  const JsonFile file(text, name);
  std::map<std::string, std::string> files;
  const JsonNode map = file.root()["weight_map"];
  map.for_each_member([&](const std::string& tensor, const JsonNode& shard) {
    if (!is_plain_name(shard.string()))
      shard.refuse(concat(quoted_name(shard.string()), " is no name of a safetensors file beside the index"));
    files.emplace(tensor, shard.string());
  });
  if (files.empty()) map.refuse("names no tensors");
  return files;
}

TensorFile open_safetensors(const std::filesystem::path& path) {
  std::vector<MappedFile> files;
  files.emplace_back(path);
  SafetensorsContents contents = parse_mapped(files.front());
  return {std::move(files), std::move(contents.metadata), std::move(contents.tensors)};
}

TensorFile open_safetensors_index(const std::filesystem::path& index) {
  const auto map = read_index(index);
  std::set<std::string> distinct;
  for (const auto& [tensor, shard] : map) distinct.insert(shard);
  const std::vector<std::string> shards(distinct.begin(), distinct.end());
  refuse_missing(index, shards);

  std::vector<MappedFile> files;
  Metadata metadata;
  std::vector<TensorInfo> tensors;
  for (const std::string& shard : shards) {
    files.emplace_back(index.parent_path() / shard);
    SafetensorsContents contents = parse_mapped(files.back());
    for (const auto& [key, value] : contents.metadata.entries()) (void)metadata.insert(key, value);
    for (TensorInfo& tensor : contents.tensors) {
      tensor.file = static_cast<uint32_t>(files.size() - 1);
      tensors.push_back(std::move(tensor));
    }
  }
  check_against_index(index, map, shards, tensors);
  return {std::move(files), std::move(metadata), std::move(tensors)};
}

}  // namespace linnet
