// Reads JSON of unknown origin: a value with the path it was found at, so that what is missing or of the
// wrong type is an Error(model) that names its place: "tokenizer.json: model.vocab: expected an object, got a
// string".
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace linnet {

class JsonNode {
 public:
  // Missing members are null.
  [[nodiscard]] JsonNode operator[](std::string_view key) const;
  [[nodiscard]] bool contains(std::string_view key) const;  // also with the value null
  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_string() const;
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] bool is_object() const;
  [[nodiscard]] bool is_integer() const;
  [[nodiscard]] size_t size() const;  // of an array or object

  // Each throws if the value is of another type; the `_or` ones take null for the default.
  [[nodiscard]] const std::string& string() const;
  [[nodiscard]] std::string string_or(std::string_view otherwise) const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] bool boolean_or(bool otherwise) const;
  [[nodiscard]] double number() const;
  // An integer in [least, most].
  [[nodiscard]] int64_t integer(int64_t least, int64_t most) const;

  void for_each_element(const std::function<void(const JsonNode& element)>& function) const;
  void for_each_member(
      const std::function<void(const std::string& key, const JsonNode& value)>& function) const;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  // Throws Error(model) "PATH: MESSAGE".
  [[noreturn]] void refuse(std::string_view message) const;

 private:
  friend class JsonFile;
  JsonNode(const nlohmann::json* value, std::string path) : value_(value), path_(std::move(path)) {}
  [[noreturn]] void refuse_type(std::string_view expected) const;

  const nlohmann::json* value_;
  std::string path_;
};

// Owns a parsed text; its nodes must not outlive it.
class JsonFile {
 public:
  // Throws Error(model) for what is no JSON, nested deeper than kDeepest or not UTF-8. `name` begins every
  // path.
  JsonFile(std::string_view text, std::string name);
  // The same for a file of at most kLargest bytes.
  explicit JsonFile(const std::filesystem::path& path);
  ~JsonFile();
  JsonFile(JsonFile&&) noexcept;
  JsonFile& operator=(JsonFile&&) noexcept;

  [[nodiscard]] JsonNode root() const;

  static constexpr int kDeepest = 64;
  // The largest tokenizer.json known (Gemma 3) has 33 MB.
  static constexpr size_t kLargest = size_t{256} << 20;

 private:
  std::unique_ptr<nlohmann::json> value_;
  std::string name_;
};

}  // namespace linnet
