#include "text/jinja/pretty_print.h"

#include <algorithm>

#include "text/jinja/dict.h"
#include "text/jinja/print.h"
#include "text/jinja/protocol.h"
#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

constexpr int64_t kColumns = 80;

[[nodiscard]] int64_t columns_of(std::string_view text) {
  return static_cast<int64_t>(count_code_points(text));
}

// Keys without an order go by the names of their types.
[[nodiscard]] bool is_before(const Value& a, const Value& b, Budget& budget) {
  if (const auto order = try_order(a, b, budget)) return *order == std::partial_ordering::less;
  return type_name(a) < type_name(b);
}

[[nodiscard]] std::vector<const Dict::Entry*> sorted_entries(const Dict& dict, Budget& budget) {
  budget.prepare_elements(dict.size(), 2 * sizeof(const Dict::Entry*));
  std::vector<const Dict::Entry*> entries;
  entries.reserve(dict.size());
  for (const Dict::Entry& entry : dict.entries()) entries.push_back(&entry);
  std::stable_sort(entries.begin(), entries.end(), [&](const Dict::Entry* a, const Dict::Entry* b) {
    return is_before(a->key, b->key, budget);
  });
  return entries;
}

// A pair of groupby prints itself, as do marked texts and all objects.
[[nodiscard]] bool is_plain_sequence(const Value& value) {
  return value.is_sequence() && !value.as_sequence().is_group;
}

// repr(), but with sorted dicts.
void append_on_one_line(BoundedText& out, const Value& value) {
  Budget& budget = out.budget();
  budget.spend();
  if (value.is_dict()) {
    out.append('{');
    bool is_first = true;
    for (const Dict::Entry* entry : sorted_entries(value.as_dict(), budget)) {
      if (!is_first) out.append(", ");
      is_first = false;
      append_on_one_line(out, entry->key);
      out.append(": ");
      append_on_one_line(out, entry->value);
    }
    out.append('}');
  } else if (is_plain_sequence(value)) {
    const bool is_list = value.is(Kind::list);
    out.append(is_list ? '[' : '(');
    for (size_t i = 0; i < value.items().size(); ++i) {
      if (i > 0) out.append(", ");
      append_on_one_line(out, value.items()[i]);
    }
    out.append(is_list ? "]" : value.items().size() == 1 ? ",)" : ")");
  } else {
    append_repr(out, value);
  }
}

[[nodiscard]] std::string on_one_line(const Value& value, Budget& budget) {
  BoundedText out(budget);
  append_on_one_line(out, value);
  budget.spend_characters(out.text().size());  // its columns are going to be counted
  return out.take();
}

// \S*\s* of the front.
[[nodiscard]] std::string_view take_word(std::string_view& text) {
  size_t end = 0;
  for (const bool in_space : {false, true}) {
    while (end < text.size() && is_space(decode_at(text, end).value) == in_space)
      end += decode_at(text, end).bytes;
  }
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

class PrettyPrinter {
 public:
  explicit PrettyPrinter(Budget& budget) : out_(budget), budget_(budget) {}

  // indent: the column where it begins; allowance: columns that what follows it on its line needs.
  void append(const Value& value, int64_t indent, int64_t allowance, size_t level) {
    const std::string line = on_one_line(value, budget_);
    const bool is_too_long = columns_of(line) > kColumns - indent - allowance;
    if (is_too_long && value.is_dict()) {
      append_dict(value.as_dict(), indent, allowance + 1, level + 1);
    } else if (is_too_long && is_plain_sequence(value)) {
      append_sequence(value, indent, allowance, level + 1);
    } else if (is_too_long && value.is_text() && !value.is_markup() && !value.as_text().empty()) {
      append_string(value.as_text(), indent, allowance, level == 0);
    } else {
      out_.append(line);
    }
  }

  [[nodiscard]] std::string take() { return out_.take(); }

 private:
  void begin_line(int64_t indent) {
    out_.append('\n');
    out_.append(static_cast<size_t>(indent), ' ');
  }

  void append_dict(const Dict& dict, int64_t indent, int64_t allowance, size_t level) {
    out_.append('{');
    const std::vector<const Dict::Entry*> entries = sorted_entries(dict, budget_);
    for (size_t i = 0; i < entries.size(); ++i) {
      const bool is_last = i + 1 == entries.size();
      const std::string key = on_one_line(entries[i]->key, budget_);
      out_.append(key);
      out_.append(": ");
      append(entries[i]->value, indent + 1 + columns_of(key) + 2, is_last ? allowance : 1, level);
      if (is_last) break;
      out_.append(',');
      begin_line(indent + 1);
    }
    out_.append('}');
  }

  void append_sequence(const Value& value, int64_t indent, int64_t allowance, size_t level) {
    const Values& items = value.items();
    const std::string_view end = value.is(Kind::list) ? "]" : items.size() == 1 ? ",)" : ")";
    out_.append(value.is(Kind::list) ? '[' : '(');
    for (size_t i = 0; i < items.size(); ++i) {
      const bool is_last = i + 1 == items.size();
      append(items[i], indent + 1, is_last ? allowance + static_cast<int64_t>(end.size()) : 1, level);
      if (is_last) break;
      out_.append(',');
      begin_line(indent + 1);
    }
    out_.append(end);
  }

  [[nodiscard]] std::string quoted(std::string_view text) {
    BoundedText out(budget_);
    append_quoted(out, text);
    return out.take();
  }

  // As Python's literals one below the other, cut at line breaks and, where that is too long, after white
  // space. In parentheses where nothing else is around.
  void append_string(std::string_view text, int64_t indent, int64_t allowance, bool is_outermost) {
    if (is_outermost) {
      ++indent;
      ++allowance;
    }
    std::vector<std::string> pieces;
    std::string last;
    for (std::string_view rest = text; !rest.empty();) {
      const std::string_view line = take_line(rest, true);
      const int64_t reserved = rest.empty() ? allowance : 0;
      last = quoted(line);
      if (columns_of(last) <= kColumns - indent - reserved) {
        pieces.push_back(last);
      } else {
        append_words(line, kColumns - indent, reserved, pieces);
      }
      budget_.prepare_elements(1, 2 * sizeof(std::string));
    }
    if (pieces.size() == 1) {
      out_.append(last);
      return;
    }
    if (is_outermost) out_.append('(');
    for (size_t i = 0; i < pieces.size(); ++i) {
      if (i > 0) begin_line(indent);
      out_.append(pieces[i]);
    }
    if (is_outermost) out_.append(')');
  }

  void append_words(std::string_view line, int64_t width, int64_t reserved,
                    std::vector<std::string>& pieces) {
    std::string current;
    while (!line.empty()) {
      const std::string_view word = take_word(line);
      budget_.prepare_elements(1, 2 * sizeof(std::string));
      const std::string candidate = current + std::string(word);
      if (line.empty()) width -= reserved;
      if (columns_of(quoted(candidate)) > width) {
        if (!current.empty()) pieces.push_back(quoted(current));
        current = word;
      } else {
        current = candidate;
      }
    }
    if (!current.empty()) pieces.push_back(quoted(current));
  }

  BoundedText out_;
  Budget& budget_;
};

}  // namespace

std::string pretty_print(const Value& value, Budget& budget) {
  PrettyPrinter printer(budget);
  printer.append(value, 0, 0, 0);
  return printer.take();
}

}  // namespace linnet::jinja
