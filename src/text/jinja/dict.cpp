#include "text/jinja/dict.h"

#include <algorithm>

#include "text/jinja/protocol.h"

namespace linnet::jinja {
namespace {

[[nodiscard]] size_t hash_text(std::string_view text) noexcept {
  return std::hash<std::string_view>{}(text);
}

}  // namespace

const Value* Dict::find(std::string_view key) const {
  const auto matches = [key](const Entry& entry) {
    return entry.key.is_text() && entry.key.as_text() == key;
  };
  if (index_.empty()) {
    const auto found = std::find_if(entries_.begin(), entries_.end(), matches);
    return found == entries_.end() ? nullptr : &found->value;
  }
  const auto [begin, end] = index_.equal_range(hash_text(key));
  for (auto candidate = begin; candidate != end; ++candidate) {
    if (matches(entries_[candidate->second])) return &entries_[candidate->second].value;
  }
  return nullptr;
}

const Value* Dict::find(const Value& key, Budget& budget) const {
  return find(key, hash_value(key, budget), budget);
}

const Value* Dict::find(const Value& key, size_t hash, Budget& budget) const {
  if (index_.empty()) {
    for (const Entry& entry : entries_) {
      if (equals(entry.key, key, budget)) return &entry.value;
    }
    return nullptr;
  }
  const auto [begin, end] = index_.equal_range(hash);
  for (auto candidate = begin; candidate != end; ++candidate) {
    if (equals(entries_[candidate->second].key, key, budget)) return &entries_[candidate->second].value;
  }
  return nullptr;
}

void Dict::set(std::string_view key, Value value) {
  replace_or_append(find(key), Value::text(std::string(key)), std::move(value), hash_text(key));
}

void Dict::set(Value key, Value value, Budget& budget) {
  budget.spend(2);
  const size_t hash = hash_value(key, budget);
  const Value* existing = find(key, hash, budget);
  replace_or_append(existing, std::move(key), std::move(value), hash);
}

void Dict::replace_or_append(const Value* existing, Value key, Value value, size_t hash) {
  depth_ = std::max({depth_, key.depth() + 1, value.depth() + 1});
  if (existing) {
    *const_cast<Value*>(existing) = std::move(value);  // this is not const: find() only returned it so
  } else {
    append(std::move(key), std::move(value), hash);
  }
}

void Dict::append(Value key, Value value, size_t hash) {
  entries_.push_back({std::move(key), std::move(value)});
  if (entries_.size() == kUnindexed + 1) {
    // Keys of an unindexed dict were hashable when they were set, so a budget only for hashing them again is
    // enough.
    Budget again{Options{}};
    for (size_t i = 0; i < entries_.size(); ++i) index_.emplace(hash_value(entries_[i].key, again), i);
  } else if (entries_.size() > kUnindexed) {
    index_.emplace(hash, entries_.size() - 1);
  }
}

void Dict::clear() {
  entries_.clear();
  index_.clear();
  depth_ = 1;
}

}  // namespace linnet::jinja
