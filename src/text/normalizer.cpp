#include "text/normalizer.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "text/byte_alphabet.h"
#include "text/unicode.h"

namespace linnet {
namespace {

// Steps that look at each character once.
template <class Function>
class PlainStep final : public NormalizerStep {
 public:
  explicit PlainStep(Function function) : function_(std::move(function)) {}
  std::string apply(std::string_view text, EncodeWork& work) const override {
    work.scanned += text.size();
    return function_(text);
  }

 private:
  Function function_;
};

template <class Function>
[[nodiscard]] std::unique_ptr<NormalizerStep> plain_step(Function function) {
  return std::make_unique<PlainStep<Function>>(std::move(function));
}

class ReplaceMatches final : public NormalizerStep {
 public:
  ReplaceMatches(std::unique_ptr<Matcher> matcher, std::string content)
      : matcher_(std::move(matcher)), content_(std::move(content)) {}

  std::string apply(std::string_view text, EncodeWork& work) const override {
    std::string result;
    result.reserve(text.size());
    for_each_match(
        *matcher_, text, work, [&](TextRange) { result += content_; },
        [&](TextRange gap) { result += text.substr(gap.begin, gap.end - gap.begin); });
    return result;
  }

 private:
  std::unique_ptr<Matcher> matcher_;
  std::string content_;
};

template <class Keep>
[[nodiscard]] std::string filtered(std::string_view text, const Keep& keep) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const CodePoint code = decode(text);
    if (keep(code.value)) result += text.substr(0, code.bytes);
    text.remove_prefix(code.bytes);
  }
  return result;
}

[[nodiscard]] std::string_view stripped(std::string_view text, bool left, bool right) {
  while (left && !text.empty()) {
    const CodePoint first = decode(text);
    if (!is_space(first.value)) break;
    text.remove_prefix(first.bytes);
  }
  while (right && !text.empty()) {
    const CodePoint last = decode_last(text);
    if (!is_space(last.value)) break;
    text.remove_suffix(last.bytes);
  }
  return text;
}

[[nodiscard]] bool is_chinese(char32_t code) {
  return (code >= 0x4E00 && code <= 0x9FFF) || (code >= 0x3400 && code <= 0x4DBF) ||
         (code >= 0x20000 && code <= 0x2A6DF) || (code >= 0x2A700 && code <= 0x2B73F) ||
         (code >= 0x2B740 && code <= 0x2B81F) || (code >= 0x2B920 && code <= 0x2CEAF) ||
         (code >= 0xF900 && code <= 0xFAFF) || (code >= 0x2F800 && code <= 0x2FA1F);
}

[[nodiscard]] bool is_bert_control(char32_t code) {
  if (code == '\t' || code == '\n' || code == '\r') return false;
  constexpr CategorySet kControls = categories(Category::cc, Category::cf, Category::co);
  return code == 0xFFFD || code >= kRawByte || is_in(code, kControls);
}

[[nodiscard]] std::string clean_and_space(std::string_view text, const BertNormalization& options) {
  std::string result;
  result.reserve(text.size() + 16);
  while (!text.empty()) {
    const CodePoint code = decode(text);
    const std::string_view character = text.substr(0, code.bytes);
    text.remove_prefix(code.bytes);
    if (options.clean_text && is_bert_control(code.value)) continue;
    if (options.clean_text && is_space(code.value)) {
      result += ' ';
    } else if (options.handle_chinese_chars && is_chinese(code.value)) {
      result += ' ';
      result += character;
      result += ' ';
    } else {
      result += character;
    }
  }
  return result;
}

[[nodiscard]] bool is_nmt_control(char32_t code) {
  return (code >= 0x01 && code <= 0x08) || code == 0x0B || (code >= 0x0E && code <= 0x1F) || code == 0x7F ||
         code == 0x8F || code == 0x9F;
}

[[nodiscard]] bool is_nmt_space(char32_t code) {
  constexpr std::u32string_view kSpaces = U"\t\n\f\r\u1680\u2028\u2029\u2581\uFEFF\uFFFD";
  return (code >= 0x200B && code <= 0x200F) || kSpaces.find(code) != std::u32string_view::npos;
}

[[nodiscard]] std::string nmt_text(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (CodePoint code{}; !text.empty(); text.remove_prefix(code.bytes)) {
    code = decode(text);
    if (is_nmt_space(code.value)) {
      result += ' ';
    } else if (!is_nmt_control(code.value)) {
      result += text.substr(0, code.bytes);
    }
  }
  return result;
}

constexpr char kGone = '\x80';  // no ASCII

// All of it for ASCII: what each byte becomes.
[[nodiscard]] std::array<char, 128> ascii_table(const BertNormalization& options) {
  std::array<char, 128> table{};
  for (char32_t code = 0; code < 128; ++code) {
    char& to = table[code];
    to = static_cast<char>(options.lowercase ? lowercase(code) : code);
    if (options.clean_text && is_space(code)) to = ' ';
    if (options.clean_text && is_bert_control(code)) to = kGone;
  }
  return table;
}

void append_ascii(std::string_view text, const std::array<char, 128>& table, std::string& into) {
  size_t kept = into.size();
  into.resize(kept + text.size());
  char* const to = into.data();
  for (const char byte : text) {
    to[kept] = table[static_cast<unsigned char>(byte)];
    kept += to[kept] != kGone ? 1 : 0;
  }
  into.resize(kept);
}

[[nodiscard]] std::string normalize_beyond_ascii(std::string_view text, const BertNormalization& options) {
  std::string result = clean_and_space(text, options);
  if (options.strip_accents) {
    result = filtered(normalize(result, NormalForm::nfd),
                      [](char32_t code) { return category(code) != Category::mn; });
  }
  return options.lowercase ? to_lowercase(result) : result;
}

// Nothing here looks across an ASCII character, so what lies between them is done by itself.
[[nodiscard]] std::string bert_text(std::string_view text, const BertNormalization& options,
                                    const std::array<char, 128>& table) {
  const auto ascii = [](char byte) { return static_cast<signed char>(byte) >= 0; };
  std::string result;
  result.reserve(text.size() + text.size() / 8);
  for (auto at = text.begin(); at != text.end();) {
    const auto plain_end = std::find_if_not(at, text.end(), ascii);
    append_ascii({at, plain_end}, table, result);
    at = std::find_if(plain_end, text.end(), ascii);
    if (plain_end != at) result += normalize_beyond_ascii({plain_end, at}, options);
  }
  return result;
}

}  // namespace

std::string Normalizer::apply(std::string_view text, EncodeWork& work) const {
  if (steps_.empty()) return std::string(text);
  std::string result = steps_.front()->apply(text, work);
  for (size_t i = 1; i < steps_.size(); ++i) result = steps_[i]->apply(result, work);
  return result;
}

std::unique_ptr<NormalizerStep> to_form(NormalForm form) {
  return plain_step([form](std::string_view text) { return normalize(text, form); });
}

std::unique_ptr<NormalizerStep> to_lower_case() {
  return plain_step(to_lowercase);
}

std::unique_ptr<NormalizerStep> strip_spaces(bool left, bool right) {
  return plain_step(
      [left, right](std::string_view text) { return std::string(stripped(text, left, right)); });
}

std::unique_ptr<NormalizerStep> strip_marks() {
  return plain_step([](std::string_view text) {
    return filtered(text, [](char32_t code) { return !is_in(code, kMark); });
  });
}

std::unique_ptr<NormalizerStep> normalize_as_nmt() {
  return plain_step(nmt_text);
}

std::unique_ptr<NormalizerStep> replace_matches(std::unique_ptr<Matcher> matcher, std::string content) {
  return std::make_unique<ReplaceMatches>(std::move(matcher), std::move(content));
}

std::unique_ptr<NormalizerStep> prepend(std::string prefix) {
  return plain_step([prefix = std::move(prefix)](std::string_view text) {
    return text.empty() ? std::string() : std::string(prefix).append(text);
  });
}

std::unique_ptr<NormalizerStep> write_in_byte_alphabet() {
  return plain_step(to_byte_alphabet);
}

std::unique_ptr<NormalizerStep> normalize_as_bert(const BertNormalization& options) {
  return plain_step([options, table = ascii_table(options)](std::string_view text) {
    return bert_text(text, options, table);
  });
}

std::unique_ptr<NormalizerStep> apply_charsmap(Charsmap charsmap, bool by_grapheme) {
  return plain_step([charsmap = std::move(charsmap), by_grapheme](std::string_view text) {
    return by_grapheme ? charsmap.normalize_graphemes(text) : charsmap.normalize(text);
  });
}

std::unique_ptr<NormalizerStep> remove_extra_spaces() {
  return plain_step([](std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (const char byte : text) {
      if (byte != ' ' || (!result.empty() && result.back() != ' ')) result += byte;
    }
    if (result.ends_with(' ')) result.pop_back();
    return result;
  });
}

}  // namespace linnet
