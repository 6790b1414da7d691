// namespace(…): the one value whose attributes a template can set.
#pragma once

#include "text/jinja/dict.h"
#include "text/jinja/object.h"

namespace linnet::jinja {

class Namespace : public Object, public Holder {
 public:
  explicit Namespace(Dict attributes) : attributes_(std::move(attributes)) {}

  void set(std::string_view name, Value value) { attributes_.set(name, std::move(value)); }
  void release() noexcept override { attributes_.clear(); }

  [[nodiscard]] std::string_view type_name() const override { return "Namespace"; }
  [[nodiscard]] std::string print(Budget& budget) const override;
  [[nodiscard]] std::optional<Value> attribute(std::string_view name, Budget&) override {
    const Value* value = attributes_.find(name);
    return value ? std::optional(*value) : std::nullopt;
  }

 private:
  Dict attributes_;
};

}  // namespace linnet::jinja
