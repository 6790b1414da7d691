#include "text/jinja/str_format.h"

#include <algorithm>

#include "text/jinja/access.h"
#include "text/jinja/dict.h"
#include "text/jinja/format_spec.h"
#include "text/jinja/numbers.h"
#include "text/jinja/print.h"
#include "text/jinja/protocol.h"

namespace linnet::jinja {
namespace {

[[nodiscard]] bool is_index(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

class BraceFormatter {
 public:
  BraceFormatter(const Arguments* arguments, const Value* mapping, Budget& budget)
      : arguments_(arguments), mapping_(mapping), budget_(budget) {}

  // levels: how many times a field may still contain fields; Python allows them in format specifications
  // only.
  [[nodiscard]] std::string run(std::string_view format, int levels) {
    if (levels < 0) raise("Max string recursion exceeded");
    BoundedText out(budget_);
    for (size_t at = 0; at < format.size();) {
      const size_t brace = std::min(format.find_first_of("{}", at), format.size());
      out.append(format.substr(at, brace - at));
      at = brace;
      if (at == format.size()) break;
      const bool doubled = at + 1 < format.size() && format[at + 1] == format[at];
      if (doubled) {
        out.append(format[at]);
        at += 2;
      } else if (format[at] == '}') {
        raise("Single '}' encountered in format string");
      } else {
        const size_t end = end_of_field(format, at);
        out.append(field(format.substr(at + 1, end - at - 1), levels));
        at = end + 1;
      }
    }
    return out.take();
  }

 private:
  [[nodiscard]] static size_t end_of_field(std::string_view format, size_t begin) {
    int open = 0;
    for (size_t at = begin; at < format.size(); ++at) {
      open += format[at] == '{' ? 1 : format[at] == '}' ? -1 : 0;
      if (open == 0) return at;
    }
    raise(begin + 1 == format.size() ? "Single '{' encountered in format string"
                                     : "expected '}' before end of string");
  }

  // name[!conversion][:specification]
  [[nodiscard]] std::string field(std::string_view text, int levels) {
    budget_.spend();
    const size_t name_end = std::min(end_of_name(text), text.size());
    const std::string_view name = text.substr(0, name_end);
    std::string_view rest = text.substr(name_end);
    char conversion = 0;
    if (rest.starts_with('!')) {
      if (rest.size() < 2) raise("end of string while looking for conversion specifier");
      conversion = rest[1];
      rest.remove_prefix(2);
      if (!rest.empty() && rest[0] != ':') raise("expected ':' after conversion specifier");
    }
    Value value = lookup(name);
    const std::string specification = rest.empty() ? "" : run(rest.substr(1), levels - 1);
    if (conversion == 'r' || conversion == 'a') {
      value = make_text(budget_, to_repr(value, budget_));
    } else if (conversion == 's') {
      value = make_text(budget_, to_text(value, budget_));
    } else if (conversion) {
      raise("Unknown conversion specifier '", conversion, "'");
    }
    if (specification.empty()) return to_text(value, budget_);
    return format_value(value, parse_format_spec(specification), budget_);
  }

  // The first ! or : that is not inside [].
  [[nodiscard]] static size_t end_of_name(std::string_view text) {
    bool in_brackets = false;
    for (size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '[') in_brackets = true;
      if (text[at] == ']') in_brackets = false;
      if (!in_brackets && (text[at] == '!' || text[at] == ':')) return at;
      if (text[at] == '{') raise("unexpected '{' in field name");
    }
    return text.size();
  }

  // first.attribute[item]…
  [[nodiscard]] Value lookup(std::string_view name) {
    size_t end = std::min(name.find_first_of(".["), name.size());
    Value value = first_value(name.substr(0, end));
    while (end < name.size()) {
      const bool is_attribute = name[end] == '.';
      const size_t begin = end + 1;
      const size_t stop =
          std::min(is_attribute ? name.find_first_of(".[", begin) : name.find(']', begin), name.size());
      const std::string part(name.substr(begin, stop - begin));
      if (part.empty()) raise("Empty attribute in format string");
      if (is_attribute) {
        value = get_attribute(value, part, budget_);
        end = stop;
      } else {
        if (stop == name.size()) raise("Missing ']' in format string");
        value = get_item(
            value, is_index(part) ? Value::integer(*parse_integer(part)) : make_text(budget_, part), budget_);
        end = stop + 1;
        if (end < name.size() && name[end] != '.' && name[end] != '[') {
          raise("Only '.' or '[' may follow ']' in format field specifier");
        }
      }
    }
    return value;
  }

  [[nodiscard]] Value first_value(std::string_view name) {
    if (name.empty() || is_index(name)) {
      const size_t place = name.empty() ? next_++ : static_cast<size_t>(to_index(*parse_integer(name)));
      if (!arguments_) raise("Format string contains positional fields");
      if (place >= arguments_->positional.size()) {
        raise("Replacement index ", place, " out of range for positional args tuple");
      }
      return arguments_->positional[place];
    }
    if (mapping_) {
      if (const Value* value = mapping_->as_dict().find(name)) return *value;
    } else {
      budget_.spend(arguments_->keywords.size() / 8);
      for (const auto& [keyword, value] : arguments_->keywords) {
        if (keyword == name) return value;
      }
    }
    raise("KeyError: '", name, "'");
  }

  const Arguments* arguments_;
  const Value* mapping_;
  Budget& budget_;
  size_t next_ = 0;  // for {} without a number
};

}  // namespace

std::string format_braces(std::string_view format, const Arguments& arguments, Budget& budget) {
  return BraceFormatter(&arguments, nullptr, budget).run(format, 1);
}

std::string format_braces(std::string_view format, const Value& mapping, Budget& budget) {
  return BraceFormatter(nullptr, &mapping, budget).run(format, 1);
}

}  // namespace linnet::jinja
