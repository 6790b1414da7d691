// Methods of str that take it apart or put it together: split(), strip(), partition(), join(), …
#include <algorithm>

#include "text/jinja/methods.h"
#include "text/jinja/parameters.h"
#include "text/jinja/print.h"
#include "text/jinja/protocol.h"
#include "text/jinja/text_search.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

template <bool left, bool right>
[[nodiscard]] Value strip(const Value& self, Arguments arguments, Budget& budget) {
  const Parameters parameters("strip", std::move(arguments), {"/chars"}, 0);
  std::string_view text = self.as_text();
  budget.prepare_text(text.size());
  if (!parameters.get_unless_none(0)) return make_text(budget, std::string(strip_space(text, left, right)));
  const std::u32string chosen = to_code_points(parameters.text(0));
  const std::u32string characters = to_code_points(text);
  const auto goes = [&](char32_t c) {
    budget.spend(1 + chosen.size() / 16);
    return chosen.find(c) != std::u32string::npos;
  };
  size_t begin = 0;
  size_t end = characters.size();
  while (left && begin < end && goes(characters[begin])) ++begin;
  while (right && end > begin && goes(characters[end - 1])) --end;
  return make_text(budget, to_utf8(std::u32string_view(characters).substr(begin, end - begin)));
}

// The pieces of a split in order, as values.
class Pieces {
 public:
  explicit Pieces(Budget& budget) : budget_(budget) {}
  void add(std::string_view piece) {
    budget_.spend_bytes(piece.size());
    if (values_.size() == values_.capacity()) budget_.prepare_elements(values_.size() + 1, 2 * sizeof(Value));
    values_.push_back(make_text(budget_, std::string(piece)));
  }
  [[nodiscard]] Value take(bool reversed) {
    if (reversed) std::reverse(values_.begin(), values_.end());
    return make_list(budget_, std::move(values_));
  }

 private:
  Budget& budget_;
  Values values_;
};

// The length of the run of characters at the front of text that are space, or that are not.
[[nodiscard]] size_t run_length(std::string_view text, bool of_space) {
  size_t at = 0;
  while (at < text.size()) {
    const CodePoint character = decode_at(text, at);
    if (is_space(character.value) != of_space) break;
    at += character.bytes;
  }
  return at;
}

[[nodiscard]] Value split_at_space(std::string_view text, int64_t limit, Budget& budget) {
  Pieces pieces(budget);
  text.remove_prefix(run_length(text, true));
  for (int64_t splits = 0; !text.empty(); ++splits) {
    if (limit >= 0 && splits == limit) {
      pieces.add(text);
      break;
    }
    const size_t word = run_length(text, false);
    pieces.add(text.substr(0, word));
    text.remove_prefix(word);
    text.remove_prefix(run_length(text, true));
  }
  return pieces.take(false);
}

[[nodiscard]] Value split_at_space_from_right(std::string_view text, int64_t limit, Budget& budget) {
  const std::u32string characters = to_code_points(text);
  Pieces pieces(budget);
  size_t end = characters.size();
  const auto skip = [&](size_t from, bool space) {
    while (from > 0 && is_space(characters[from - 1]) == space) --from;
    return from;
  };
  const auto add = [&](size_t from, size_t to) {
    pieces.add(to_utf8(std::u32string_view(characters).substr(from, to - from)));
  };
  for (int64_t splits = 0;; ++splits) {
    end = skip(end, true);
    if (end == 0) break;
    if (limit >= 0 && splits == limit) {
      add(0, end);
      break;
    }
    const size_t begin = skip(end, false);
    add(begin, end);
    end = begin;
  }
  return pieces.take(true);
}

template <bool from_right>
[[nodiscard]] Value split(const Value& self, Arguments arguments, Budget& budget) {
  const Parameters parameters(from_right ? "rsplit" : "split", std::move(arguments), {"sep", "maxsplit"}, 0);
  std::string_view text = self.as_text();
  const int64_t limit = parameters.index_or(1, -1);
  budget.spend_bytes(text.size());
  if (!parameters.get_unless_none(0)) {
    return from_right ? split_at_space_from_right(text, limit, budget) : split_at_space(text, limit, budget);
  }
  const std::string& separator = parameters.text(0);
  if (separator.empty()) raise("empty separator");
  Pieces pieces(budget);
  for (int64_t splits = 0; limit < 0 || splits < limit; ++splits) {
    if (from_right && separator.size() >= 8) budget.spend_bytes(text.size());
    const size_t found = from_right ? find_last_bytes(text, separator) : find_bytes(text, separator, 0);
    if (found == std::string_view::npos) break;
    pieces.add(from_right ? text.substr(found + separator.size()) : text.substr(0, found));
    text = from_right ? text.substr(0, found) : text.substr(found + separator.size());
  }
  pieces.add(text);
  return pieces.take(from_right);
}

[[nodiscard]] Value splitlines(const Value& self, Arguments arguments, Budget& budget) {
  const Parameters parameters("splitlines", std::move(arguments), {"keepends"}, 0);
  const bool keep_ends = parameters.truthy_or(0, false, budget);
  Pieces pieces(budget);
  std::string_view rest = self.as_text();
  budget.spend_bytes(4 * rest.size());
  while (!rest.empty()) pieces.add(take_line(rest, keep_ends));
  return pieces.take(false);
}

template <bool from_right>
[[nodiscard]] Value partition(const Value& self, Arguments arguments, Budget& budget) {
  const Parameters parameters(from_right ? "rpartition" : "partition", std::move(arguments), {"/sep"}, 1);
  const std::string_view text = self.as_text();
  const std::string& separator = parameters.text(0);
  if (separator.empty()) raise("empty separator");
  budget.prepare_text(text.size());
  const size_t found = from_right ? find_last_bytes(text, separator) : find_bytes(text, separator, 0);
  const auto piece = [&](std::string_view part) { return make_text(budget, std::string(part)); };
  if (found == std::string_view::npos) {
    if (from_right) return make_tuple(budget, {piece(""), piece(""), piece(text)});
    return make_tuple(budget, {piece(text), piece(""), piece("")});
  }
  return make_tuple(
      budget, {piece(text.substr(0, found)), piece(separator), piece(text.substr(found + separator.size()))});
}

[[nodiscard]] Value join_texts(const Value& self, Arguments arguments, Budget& budget) {
  const Parameters parameters("join", std::move(arguments), {"/iterable"}, 1);
  const std::shared_ptr<Iterator> elements = try_iterate(*parameters.get(0), budget);
  if (!elements) raise("can only join an iterable");
  BoundedText out(budget);
  size_t place = 0;
  while (const std::optional<Value> element = elements->next()) {
    if (!element->is_text()) {
      raise("sequence item ", place, ": expected str instance, ", type_name(*element), " found");
    }
    if (place++ > 0) out.append(self.as_text());
    out.append(element->as_text());
  }
  return make_text(budget, out.take());
}

constexpr NamedMethod kSplitMethods[] = {
    {"join", join_texts},
    {"lstrip", strip<true, false>},
    {"partition", partition<false>},
    {"rpartition", partition<true>},
    {"rsplit", split<true>},
    {"rstrip", strip<false, true>},
    {"split", split<false>},
    {"splitlines", splitlines},
    {"strip", strip<true, true>},
};

}  // namespace

Method find_split_method(std::string_view name) {
  return find_in(kSplitMethods, name);
}

}  // namespace linnet::jinja
