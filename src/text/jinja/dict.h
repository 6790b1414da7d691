// A dict that keeps the order in which keys were first set. Keys are equal as Python's are: 1, 1.0 and true
// are one key; lists and dicts are none.
#pragma once

#include <map>

#include "text/jinja/value.h"

namespace linnet::jinja {

class Dict {
 public:
  struct Entry {
    Value key;
    Value value;
  };

  [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }
  [[nodiscard]] size_t size() const noexcept { return entries_.size(); }
  [[nodiscard]] size_t depth() const noexcept { return depth_; }

  // Null if there is no such key.
  [[nodiscard]] const Value* find(std::string_view key) const;
  [[nodiscard]] const Value* find(const Value& key, Budget& budget) const;

  void set(std::string_view key, Value value);
  void set(Value key, Value value, Budget& budget);
  void clear();

 private:
  friend Value make_dict(Budget& budget, Dict entries);

  // Up to this many keys are compared one by one, which is what nearly all dicts of a chat are: measured
  // faster than hashing up to about ten short keys.
  static constexpr size_t kUnindexed = 8;

  [[nodiscard]] const Value* find(const Value& key, size_t hash, Budget& budget) const;
  void append(Value key, Value value, size_t hash);
  void replace_or_append(const Value* existing, Value key, Value value, size_t hash);

  std::vector<Entry> entries_;
  // Hash of the key → place in entries_, beyond kUnindexed. In order and not in buckets: keys that all fall
  // into one are easy to write.
  std::multimap<size_t, size_t> index_;
  size_t depth_ = 1;
  Charge charge_;
};

}  // namespace linnet::jinja
