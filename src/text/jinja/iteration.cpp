// Elements of values, forwards and backwards.
#include "text/jinja/dict.h"
#include "text/jinja/protocol.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

class TextIterator : public Iterator {
 public:
  TextIterator(Value text, Budget& budget) : text_(std::move(text)), budget_(budget) {}

  std::optional<Value> next() override {
    const std::string& bytes = text_.as_text();
    if (at_ == bytes.size()) return std::nullopt;
    budget_.spend();
    const size_t length = decode_at(bytes, at_).bytes;
    at_ += length;
    return make_text(budget_, bytes.substr(at_ - length, length));
  }

 private:
  Value text_;
  Budget& budget_;
  size_t at_ = 0;
};

// Items of a list or tuple, or keys of a dict, in either direction.
class PlacesIterator : public Iterator {
 public:
  PlacesIterator(Value container, size_t count, bool backwards, Budget& budget)
      : container_(std::move(container)),
        left_(count),
        count_(count),
        backwards_(backwards),
        budget_(budget) {}

  std::optional<Value> next() override {
    if (left_ == 0) return std::nullopt;
    budget_.spend();
    --left_;
    const size_t place = backwards_ ? left_ : count_ - left_ - 1;
    return container_.is_dict() ? container_.as_dict().entries()[place].key : container_.items()[place];
  }

 private:
  Value container_;
  size_t left_;
  size_t count_;
  bool backwards_;
  Budget& budget_;
};

class EmptyIterator : public Iterator {
 public:
  std::optional<Value> next() override { return std::nullopt; }
};

}  // namespace

std::shared_ptr<Iterator> try_iterate(const Value& value, Budget& budget) {
  switch (value.kind()) {
    case Kind::undefined:
      return std::make_shared<EmptyIterator>();
    case Kind::text:
      return std::make_shared<TextIterator>(value, budget);
    case Kind::list:
    case Kind::tuple:
      return std::make_shared<PlacesIterator>(value, value.items().size(), false, budget);
    case Kind::dict:
      return std::make_shared<PlacesIterator>(value, value.as_dict().size(), false, budget);
    case Kind::object:
      return value.as_object()->iterate(budget);
    default:
      return nullptr;
  }
}

std::shared_ptr<Iterator> iterate(const Value& value, Budget& budget) {
  std::shared_ptr<Iterator> iterator = try_iterate(value, budget);
  if (!iterator) raise("'", type_name(value), "' object is not iterable");
  return iterator;
}

Values to_items(const Value& value, Budget& budget) {
  const std::shared_ptr<Iterator> elements = iterate(value, budget);
  if (value.is_sequence()) {
    budget.prepare_elements(value.items().size(), sizeof(Value));
    return value.items();
  }
  Values items;
  while (std::optional<Value> element = elements->next()) {
    // Asked before each doubling, so that a generator without end stops at the limit and not at the
    // machine's.
    if (items.size() == items.capacity()) budget.prepare_elements(items.size() + 1, 2 * sizeof(Value));
    items.push_back(std::move(*element));
  }
  return items;
}

std::shared_ptr<Iterator> try_reversed(const Value& value, Budget& budget) {
  switch (value.kind()) {
    case Kind::list:
    case Kind::tuple:
      return std::make_shared<PlacesIterator>(value, value.items().size(), true, budget);
    case Kind::dict:
      return std::make_shared<PlacesIterator>(value, value.as_dict().size(), true, budget);
    case Kind::text: {
      Values characters = to_items(value, budget);
      const size_t count = characters.size();
      return std::make_shared<PlacesIterator>(make_list(budget, std::move(characters)), count, true, budget);
    }
    case Kind::object: {
      // Those with a length are ranges and views of dicts, which can be reversed; generators cannot.
      const std::optional<size_t> count = value.as_object()->length(budget);
      if (!count) return nullptr;
      return std::make_shared<PlacesIterator>(make_list(budget, to_items(value, budget)), *count, true,
                                              budget);
    }
    default:
      return nullptr;
  }
}

}  // namespace linnet::jinja
