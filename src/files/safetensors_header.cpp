#include "files/safetensors_header.h"

#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/quoted.h"

namespace linnet {
namespace {

constexpr std::string_view kMetadata = "__metadata__";
constexpr size_t kMostDimensions = 16;  // far above any weight's
constexpr size_t kLongestName = 65535;  // as in GGUF

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  fail(ErrorKind::model, "safetensors: header: ", parts...);
}

// Events of nlohmann's parser, which is iterative: depth costs no stack, and what is deeper than a header can
// be is refused at once.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(SafetensorsHeader& into) : into_(into) {}

  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("true or false"); }
  bool number_integer(number_integer_t value) override { unexpected(concat(value)); }
  bool number_float(number_float_t, const string_t& text) override { unexpected(quoted_name(text)); }
  bool binary(binary_t&) override { unexpected("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::shape && place_ != Place::offsets) unexpected(concat(value));
    if (place_ == Place::shape) {
      if (entry().shape.size() == kMostDimensions)
        refuse("tensor ", quoted_name(entry().name), " has more than ", kMostDimensions, " dimensions");
      entry().shape.push_back(value);
      return true;
    }
    if (offsets_ == 2) refuse("tensor ", quoted_name(entry().name), ": expected two data_offsets");
    (offsets_++ == 0 ? entry().begin : entry().end) = value;
    return true;
  }

  bool string(string_t& value) override {
    if (place_ == Place::metadata) {
      if (!into_.metadata.insert(std::move(key_), std::move(value))) refuse("metadata has a key twice");
    } else if (place_ == Place::entry && key_ == "dtype") {
      entry().type = std::move(value);
    } else {
      unexpected(quoted_name(value));
    }
    return true;
  }

  bool start_object(std::size_t) override {
    if (place_ == Place::outside && !done_) {
      place_ = Place::top;
    } else if (place_ == Place::top && key_ == kMetadata) {
      place_ = Place::metadata;
    } else if (place_ == Place::top) {
      place_ = Place::entry;
      into_.entries.push_back({.name = std::move(key_), .type = {}, .shape = {}});
      seen_.clear();
    } else {
      unexpected("an object");
    }
    return true;
  }

  bool key(string_t& value) override {
    if (value.size() > kLongestName) refuse("a name has ", value.size(), " bytes");
    if (place_ == Place::top && !names_.insert(value).second) refuse(quoted_name(value), " appears twice");
    if (place_ == Place::entry) {
      if (value != "dtype" && value != "shape" && value != "data_offsets")
        refuse("tensor ", quoted_name(entry().name), " has the unknown member ", quoted_name(value));
      if (!seen_.insert(value).second)
        refuse("tensor ", quoted_name(entry().name), " has ", quoted_name(value), " twice");
    }
    key_ = std::move(value);
    return true;
  }

  bool end_object() override {
    if (place_ == Place::entry) {
      if (seen_.size() != 3)
        refuse("tensor ", quoted_name(entry().name), " must have dtype, shape and data_offsets");
      place_ = Place::top;
    } else if (place_ == Place::metadata) {
      place_ = Place::top;
    } else {
      place_ = Place::outside;
      done_ = true;
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::entry || key_ == "dtype") unexpected("an array");
    place_ = key_ == "shape" ? Place::shape : Place::offsets;
    offsets_ = 0;
    return true;
  }

  bool end_array() override {
    if (place_ == Place::offsets && offsets_ != 2)
      refuse("tensor ", quoted_name(entry().name), ": expected two data_offsets");
    place_ = Place::entry;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    refuse("no JSON at byte ", position);
  }

 private:
  enum class Place : uint8_t { outside, top, metadata, entry, shape, offsets };

  [[nodiscard]] SafetensorsEntry& entry() { return into_.entries.back(); }

  [[noreturn]] void unexpected(const std::string& what) const {
    switch (place_) {
      case Place::outside:
        refuse("expected an object, got ", what);
      case Place::top:
        refuse(quoted_name(key_), ": expected an object, got ", what);
      case Place::metadata:
        refuse(kMetadata, ".", quoted_name(key_), ": expected a string, got ", what);
      default:
        refuse("tensor ", quoted_name(into_.entries.back().name), ": ", quoted_name(key_), ": unexpected ",
               what);
    }
  }

  SafetensorsHeader& into_;
  Place place_ = Place::outside;
  bool done_ = false;
  int offsets_ = 0;
  std::string key_;
  std::set<std::string, std::less<>> names_;
  std::set<std::string, std::less<>> seen_;  // members of the entry
};

}  // namespace

SafetensorsHeader read_safetensors_header(std::string_view text) {
  SafetensorsHeader header;
  HeaderReader reader(header);
  if (!nlohmann::json::sax_parse(text, &reader)) refuse("no JSON");
  return header;
}

}  // namespace linnet
