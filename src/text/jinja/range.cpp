#include "text/jinja/range.h"

#include "text/jinja/numbers.h"
#include "text/jinja/protocol.h"

namespace linnet::jinja {
namespace {

constexpr size_t kMaxRange = 100'000;  // Jinja's sandbox, MAX_RANGE

class RangeIterator : public Iterator {
 public:
  RangeIterator(std::shared_ptr<const Range> range, Budget& budget)
      : range_(std::move(range)), budget_(budget) {}
  std::optional<Value> next() override {
    if (place_ == range_->size()) return std::nullopt;
    budget_.spend();
    return Value::integer(range_->at(place_++));
  }

 private:
  std::shared_ptr<const Range> range_;
  Budget& budget_;
  size_t place_ = 0;
};

}  // namespace

std::string Range::print(Budget&) const {
  const std::string bounds = concat("range(", start_, ", ", stop_);
  return step_ == 1 ? bounds + ")" : concat(bounds, ", ", step_, ")");
}

std::shared_ptr<Iterator> Range::iterate(Budget& budget) {
  return std::make_shared<RangeIterator>(std::static_pointer_cast<const Range>(shared_from_this()), budget);
}

std::optional<Value> Range::attribute(std::string_view name, Budget&) {
  if (name == "start") return Value::integer(start_);
  if (name == "stop") return Value::integer(stop_);
  if (name == "step") return Value::integer(step_);
  return std::nullopt;
}

std::optional<Value> Range::item(const Value& key, Budget&) {
  const std::optional<Integer> index = integer_of(key);
  if (!index) return std::nullopt;
  const Integer place = *index < 0 ? *index + static_cast<Integer>(size_) : *index;
  if (place < 0 || place >= static_cast<Integer>(size_)) return std::nullopt;
  return Value::integer(at(static_cast<size_t>(place)));
}

Value Range::slice(const SlicePlaces& places, Budget& budget) const {
  const auto moved = [this](int64_t place) {
    return to_index(Integer{start_} + Integer{step_} * Integer{place});
  };
  return Value::object(std::make_shared<Range>(moved(places.start), moved(places.stop),
                                               to_index(Integer{step_} * Integer{places.step}), places.count,
                                               budget));
}

bool Range::equals(const Object& other, Budget&) {
  const auto* range = dynamic_cast<const Range*>(&other);
  if (!range || range->size_ != size_) return false;
  return size_ == 0 || (range->start_ == start_ && (size_ == 1 || range->step_ == step_));
}

Value make_range(Arguments arguments, Budget& budget) {
  const Values& given = arguments.positional;
  if (!arguments.keywords.empty()) raise("range() takes no keyword arguments");
  if (given.empty() || given.size() > 3) raise("range expected 1 to 3 arguments, got ", given.size());
  const auto bound = [&](size_t i) {
    require_defined(given[i]);
    const std::optional<Integer> integer = integer_of(given[i]);
    if (!integer) raise("'", type_name(given[i]), "' object cannot be interpreted as an integer");
    return to_index(*integer);
  };
  const int64_t start = given.size() > 1 ? bound(0) : 0;
  const int64_t stop = bound(given.size() > 1 ? 1 : 0);
  const int64_t step = given.size() > 2 ? bound(2) : 1;
  if (step == 0) raise("range() arg 3 must not be zero");
  const Integer distance = step > 0 ? Integer{stop} - start : Integer{start} - stop;
  const Integer width = step > 0 ? Integer{step} : -Integer{step};
  const Integer count = distance > 0 ? (distance - 1) / width + 1 : 0;
  if (count > static_cast<Integer>(kMaxRange)) {
    raise("Range too big. The sandbox blocks ranges larger than MAX_RANGE (", kMaxRange, ").");
  }
  return Value::object(std::make_shared<Range>(start, stop, step, static_cast<size_t>(count), budget));
}

}  // namespace linnet::jinja
