// What a model file says about itself: keys in file order, each with a typed value. Neutral between file
// formats; the typed getters turn a missing key, a wrong type or a number out of range into Error(model) that
// names the key.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace linnet {

// Strings of one array. Read from a file they are views into its mapping (vocabularies are large) and live as
// long as the TensorFile; made from owned strings they keep those alive.
class StringArray {
 public:
  StringArray() = default;
  explicit StringArray(std::vector<std::string_view> views) : views_(std::move(views)) {}
  explicit StringArray(std::vector<std::string> strings);
  [[nodiscard]] std::span<const std::string_view> views() const noexcept { return views_; }

 private:
  std::vector<std::string_view> views_;
  std::shared_ptr<const std::vector<std::string>> owned_;
};

// Alternatives stand in the order of GGUF's value types with the array left out; a writer keeps the exact
// type.
using MetadataArray =
    std::variant<std::vector<uint8_t>, std::vector<int8_t>, std::vector<uint16_t>, std::vector<int16_t>,
                 std::vector<uint32_t>, std::vector<int32_t>, std::vector<float>, std::vector<bool>,
                 StringArray, std::vector<uint64_t>, std::vector<int64_t>, std::vector<double>>;

// The index of an alternative is GGUF's id of the value type (tested).
using MetadataValue = std::variant<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, float, bool,
                                   std::string, MetadataArray, uint64_t, int64_t, double>;

class Metadata {
 public:
  using Entry = std::pair<std::string, MetadataValue>;

  [[nodiscard]] std::span<const Entry> entries() const noexcept { return entries_; }
  [[nodiscard]] bool contains(std::string_view key) const { return find(key) != nullptr; }
  // Null when there is no such key.
  [[nodiscard]] const MetadataValue* find(std::string_view key) const;

  // Adds the key at the end or replaces its value where it stands.
  void set(std::string key, MetadataValue value);
  // False, and nothing changed, if the key was there.
  [[nodiscard]] bool insert(std::string key, MetadataValue value);
  void erase(std::string_view key);

  // get_*: the value; throws if the key is missing, of another type or out of range. Any integer type serves
  // any integer getter as long as the value fits; both float types serve get_f32 and get_f64.
  [[nodiscard]] uint32_t get_u32(std::string_view key) const;
  [[nodiscard]] uint64_t get_u64(std::string_view key) const;
  [[nodiscard]] int64_t get_i64(std::string_view key) const;
  [[nodiscard]] float get_f32(std::string_view key) const;
  [[nodiscard]] double get_f64(std::string_view key) const;
  [[nodiscard]] bool get_bool(std::string_view key) const;
  [[nodiscard]] const std::string& get_string(std::string_view key) const;
  [[nodiscard]] std::span<const std::string_view> get_strings(std::string_view key) const;
  [[nodiscard]] std::vector<float> get_floats(std::string_view key) const;
  [[nodiscard]] std::vector<int64_t> get_integers(std::string_view key) const;

  // find_*: nothing if the key is missing; still throws for a wrong type or range.
  [[nodiscard]] std::optional<uint32_t> find_u32(std::string_view key) const;
  [[nodiscard]] std::optional<uint64_t> find_u64(std::string_view key) const;
  [[nodiscard]] std::optional<int64_t> find_i64(std::string_view key) const;
  [[nodiscard]] std::optional<float> find_f32(std::string_view key) const;
  [[nodiscard]] std::optional<double> find_f64(std::string_view key) const;
  [[nodiscard]] std::optional<bool> find_bool(std::string_view key) const;
  [[nodiscard]] std::optional<std::string> find_string(std::string_view key) const;
  [[nodiscard]] std::optional<std::span<const std::string_view>> find_strings(std::string_view key) const;
  [[nodiscard]] std::optional<std::vector<float>> find_floats(std::string_view key) const;
  [[nodiscard]] std::optional<std::vector<int64_t>> find_integers(std::string_view key) const;

 private:
  std::vector<Entry> entries_;
  std::map<std::string, size_t, std::less<>> index_;  // key → position in entries_
};

// "u32", "string", "array of f32", … for messages.
[[nodiscard]] std::string type_name(const MetadataValue& value);

// The names for a message, separated by commas; only the first few of many.
[[nodiscard]] std::string listed(std::span<const std::string> names);

}  // namespace linnet
