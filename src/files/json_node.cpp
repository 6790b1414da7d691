#include "files/json_node.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/quoted.h"
#include "files/metadata.h"

namespace linnet {
namespace {

// Before the parser sees it: brackets outside of strings.
[[nodiscard]] int depth_of(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char byte = text[i];
    if (in_string) {
      if (byte == '\\') ++i;
      in_string = byte != '"';
    } else if (byte == '"') {
      in_string = true;
    } else if (byte == '[' || byte == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (byte == ']' || byte == '}') {
      --depth;
    }
  }
  return deepest;
}

[[nodiscard]] const nlohmann::json& null_value() {
  static const nlohmann::json null;
  return null;
}

}  // namespace

JsonNode JsonNode::operator[](std::string_view key) const {
  std::string path = concat(path_, path_.ends_with(": ") ? "" : ".", key);
  if (value_->is_null()) return {&null_value(), std::move(path)};
  if (!value_->is_object()) refuse_type("an object");
  const auto found = value_->find(key);
  return {found == value_->end() ? &null_value() : &*found, std::move(path)};
}

bool JsonNode::contains(std::string_view key) const {
  return value_->is_object() && value_->find(key) != value_->end();
}

bool JsonNode::is_null() const {
  return value_->is_null();
}
bool JsonNode::is_string() const {
  return value_->is_string();
}
bool JsonNode::is_array() const {
  return value_->is_array();
}
bool JsonNode::is_object() const {
  return value_->is_object();
}
bool JsonNode::is_integer() const {
  return value_->is_number_integer();
}
size_t JsonNode::size() const {
  return value_->size();
}

const std::string& JsonNode::string() const {
  if (!is_string()) refuse_type("a string");
  return value_->get_ref<const std::string&>();
}

std::string JsonNode::string_or(std::string_view otherwise) const {
  return is_null() ? std::string(otherwise) : string();
}

bool JsonNode::boolean() const {
  if (!value_->is_boolean()) refuse_type("true or false");
  return value_->get<bool>();
}

bool JsonNode::boolean_or(bool otherwise) const {
  return is_null() ? otherwise : boolean();
}

double JsonNode::number() const {
  if (!value_->is_number()) refuse_type("a number");
  return value_->get<double>();
}

int64_t JsonNode::integer(int64_t least, int64_t most) const {
  if (!value_->is_number_integer()) refuse_type("an integer");
  const bool too_large = value_->is_number_unsigned() && value_->get<uint64_t>() > uint64_t{INT64_MAX};
  const int64_t value = too_large ? INT64_MAX : value_->get<int64_t>();
  if (value < least || value > most) refuse(concat(value_->dump(), " is not between ", least, " and ", most));
  return value;
}

void JsonNode::for_each_element(const std::function<void(const JsonNode&)>& function) const {
  if (!is_array()) refuse_type("an array");
  size_t index = 0;
  for (const nlohmann::json& element : *value_) function({&element, concat(path_, '[', index++, ']')});
}

void JsonNode::for_each_member(
    const std::function<void(const std::string&, const JsonNode&)>& function) const {
  if (!is_object()) refuse_type("an object");
  for (const auto& [key, value] : value_->get_ref<const nlohmann::json::object_t&>())
    function(key, {&value, path_ + '.' + quoted_name(key)});
}

void JsonNode::refuse(std::string_view message) const {
  fail(ErrorKind::model, path_, ": ", message);
}

void JsonNode::refuse_type(std::string_view expected) const {
  refuse(concat("expected ", expected, ", got ", is_null() ? "nothing" : value_->type_name()));
}

JsonFile::JsonFile(std::string_view text, std::string name) : name_(std::move(name)) {
  if (depth_of(text) > kDeepest)
    fail(ErrorKind::model, name_, " is nested deeper than ", kDeepest, " levels");
  try {
    value_ = std::make_unique<nlohmann::json>(nlohmann::json::parse(text));
  } catch (const nlohmann::json::exception& error) {
    // The parser quotes what it saw last, which may be anything.
    fail(ErrorKind::model, name_, " is not JSON: ", quoted_name(error.what()));
  }
}

JsonFile::JsonFile(const std::filesystem::path& path) : JsonFile("null", path.string()) {
  const MappedFile file(path);
  if (file.bytes().size() > kLargest) {
    fail(ErrorKind::model, name_, " has ", file.bytes().size(), " bytes; at most ", kLargest, " are read");
  }
  *this = JsonFile(std::string_view(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()),
                   name_);
}

JsonFile::~JsonFile() = default;
JsonFile::JsonFile(JsonFile&&) noexcept = default;
JsonFile& JsonFile::operator=(JsonFile&&) noexcept = default;

JsonNode JsonFile::root() const {
  return {value_.get(), name_ + ": "};
}

}  // namespace linnet
