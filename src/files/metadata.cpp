#include "files/metadata.h"

#include <array>
#include <concepts>
#include <limits>

#include "base/error.h"
#include "base/quoted.h"

namespace linnet {
namespace {

constexpr std::array<std::string_view, 13> kTypeNames = {
    "u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "string", "array", "u64", "i64", "f64"};
constexpr size_t kArrayIndex = 9;

template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;

[[noreturn]] void fail_missing(std::string_view key) {
  fail(ErrorKind::model, "metadata has no key ", quoted_name(key));
}

[[noreturn]] void fail_type(std::string_view key, const MetadataValue& value, std::string_view expected) {
  fail(ErrorKind::model, "metadata key ", quoted_name(key), ": expected ", expected, ", got ",
       type_name(value));
}

// An integer of any stored type as the type that the caller wants.
template <Integer To>
[[nodiscard]] To to_integer(std::string_view key, const MetadataValue& value) {
  return std::visit(
      [&](const auto& stored) -> To {
        using From = std::remove_cvref_t<decltype(stored)>;
        if constexpr (Integer<From>) {
          if (!std::in_range<To>(stored)) {
            // + promotes the byte types, which a stream would print as characters.
            fail(ErrorKind::model, "metadata key ", quoted_name(key), ": ", +stored, " is not between ",
                 +std::numeric_limits<To>::min(), " and ", +std::numeric_limits<To>::max());
          }
          return static_cast<To>(stored);
        } else {
          fail_type(key, value, "an integer");
        }
      },
      value);
}

[[nodiscard]] double to_double(std::string_view key, const MetadataValue& value) {
  if (const auto* single = std::get_if<float>(&value)) return *single;
  if (const auto* wide = std::get_if<double>(&value)) return *wide;
  fail_type(key, value, "a float");
}

[[nodiscard]] const MetadataArray& to_array(std::string_view key, const MetadataValue& value,
                                            std::string_view expected) {
  const auto* array = std::get_if<MetadataArray>(&value);
  if (array == nullptr) fail_type(key, value, expected);
  return *array;
}

// find_*(key) applied to get_*.
template <class Get>
[[nodiscard]] auto find_with(const Metadata& metadata, std::string_view key, Get get)
    -> std::optional<std::remove_cvref_t<decltype((metadata.*get)(key))>> {
  if (!metadata.contains(key)) return std::nullopt;
  return (metadata.*get)(key);
}

}  // namespace

StringArray::StringArray(std::vector<std::string> strings)
    : owned_(std::make_shared<const std::vector<std::string>>(std::move(strings))) {
  views_.assign(owned_->begin(), owned_->end());
}

const MetadataValue* Metadata::find(std::string_view key) const {
  const auto found = index_.find(key);
  return found == index_.end() ? nullptr : &entries_[found->second].second;
}

void Metadata::set(std::string key, MetadataValue value) {
  const auto found = index_.find(key);
  if (found != index_.end()) {
    entries_[found->second].second = std::move(value);
    return;
  }
  index_.emplace(key, entries_.size());
  entries_.emplace_back(std::move(key), std::move(value));
}

bool Metadata::insert(std::string key, MetadataValue value) {
  if (contains(key)) return false;
  set(std::move(key), std::move(value));
  return true;
}

void Metadata::erase(std::string_view key) {
  const auto found = index_.find(key);
  if (found == index_.end()) return;
  const size_t position = found->second;
  entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(position));
  index_.erase(found);
  for (auto& [name, index] : index_) {
    if (index > position) --index;
  }
}

uint32_t Metadata::get_u32(std::string_view key) const {
  const MetadataValue* value = find(key);
  return value != nullptr ? to_integer<uint32_t>(key, *value) : (fail_missing(key), 0);
}

uint64_t Metadata::get_u64(std::string_view key) const {
  const MetadataValue* value = find(key);
  return value != nullptr ? to_integer<uint64_t>(key, *value) : (fail_missing(key), 0);
}

int64_t Metadata::get_i64(std::string_view key) const {
  const MetadataValue* value = find(key);
  return value != nullptr ? to_integer<int64_t>(key, *value) : (fail_missing(key), 0);
}

float Metadata::get_f32(std::string_view key) const {
  return static_cast<float>(get_f64(key));
}

double Metadata::get_f64(std::string_view key) const {
  const MetadataValue* value = find(key);
  return value != nullptr ? to_double(key, *value) : (fail_missing(key), 0);
}

bool Metadata::get_bool(std::string_view key) const {
  const MetadataValue* value = find(key);
  if (value == nullptr) fail_missing(key);
  const auto* flag = std::get_if<bool>(value);
  if (flag == nullptr) fail_type(key, *value, "a bool");
  return *flag;
}

const std::string& Metadata::get_string(std::string_view key) const {
  const MetadataValue* value = find(key);
  if (value == nullptr) fail_missing(key);
  const auto* string = std::get_if<std::string>(value);
  if (string == nullptr) fail_type(key, *value, "a string");
  return *string;
}

std::span<const std::string_view> Metadata::get_strings(std::string_view key) const {
  constexpr std::string_view kExpected = "an array of strings";
  const MetadataValue* value = find(key);
  if (value == nullptr) fail_missing(key);
  const auto* strings = std::get_if<StringArray>(&to_array(key, *value, kExpected));
  if (strings == nullptr) fail_type(key, *value, kExpected);
  return strings->views();
}

std::vector<float> Metadata::get_floats(std::string_view key) const {
  constexpr std::string_view kExpected = "an array of floats";
  const MetadataValue* value = find(key);
  if (value == nullptr) fail_missing(key);
  const MetadataArray& array = to_array(key, *value, kExpected);
  if (const auto* singles = std::get_if<std::vector<float>>(&array)) return *singles;
  const auto* doubles = std::get_if<std::vector<double>>(&array);
  if (doubles == nullptr) fail_type(key, *value, kExpected);
  std::vector<float> result;
  result.reserve(doubles->size());
  for (const double number : *doubles) result.push_back(static_cast<float>(number));
  return result;
}

std::vector<int64_t> Metadata::get_integers(std::string_view key) const {
  constexpr std::string_view kExpected = "an array of integers";
  const MetadataValue* value = find(key);
  if (value == nullptr) fail_missing(key);
  return std::visit(
      [&](const auto& stored) -> std::vector<int64_t> {
        using Stored = std::remove_cvref_t<decltype(stored)>;
        if constexpr (requires { typename Stored::value_type; }) {
          if constexpr (Integer<typename Stored::value_type>) {
            std::vector<int64_t> result;
            result.reserve(stored.size());
            for (const auto number : stored)
              result.push_back(to_integer<int64_t>(key, MetadataValue(number)));
            return result;
          }
        }
        fail_type(key, *value, kExpected);
      },
      to_array(key, *value, kExpected));
}

std::optional<uint32_t> Metadata::find_u32(std::string_view key) const {
  return find_with(*this, key, &Metadata::get_u32);
}
std::optional<uint64_t> Metadata::find_u64(std::string_view key) const {
  return find_with(*this, key, &Metadata::get_u64);
}
std::optional<int64_t> Metadata::find_i64(std::string_view key) const {
  return find_with(*this, key, &Metadata::get_i64);
}
std::optional<float> Metadata::find_f32(std::string_view key) const {
  return find_with(*this, key, &Metadata::get_f32);
}
std::optional<double> Metadata::find_f64(std::string_view key) const {
  return find_with(*this, key, &Metadata::get_f64);
}
std::optional<bool> Metadata::find_bool(std::string_view key) const {
  return find_with(*this, key, &Metadata::get_bool);
}
std::optional<std::string> Metadata::find_string(std::string_view key) const {
  return find_with(*this, key, &Metadata::get_string);
}
std::optional<std::span<const std::string_view>> Metadata::find_strings(std::string_view key) const {
  return find_with(*this, key, &Metadata::get_strings);
}
std::optional<std::vector<float>> Metadata::find_floats(std::string_view key) const {
  return find_with(*this, key, &Metadata::get_floats);
}
std::optional<std::vector<int64_t>> Metadata::find_integers(std::string_view key) const {
  return find_with(*this, key, &Metadata::get_integers);
}

std::string type_name(const MetadataValue& value) {
  const auto* array = std::get_if<MetadataArray>(&value);
  if (array == nullptr) return std::string(kTypeNames[value.index()]);
  const size_t element = array->index() < kArrayIndex ? array->index() : array->index() + 1;
  return concat("array of ", kTypeNames[element]);
}

std::string listed(std::span<const std::string> names) {
  constexpr size_t kMostNamed = 8;
  std::string list;
  for (size_t i = 0; i < names.size() && i < kMostNamed; ++i)
    list += (i == 0 ? "" : ", ") + quoted_name(names[i]);
  return names.size() <= kMostNamed ? list : concat(list, " and ", names.size() - kMostNamed, " more");
}

}  // namespace linnet
