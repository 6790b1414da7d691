#include "text/jinja/text_wrap.h"

#include <algorithm>

#include "text/jinja/unicode.h"

namespace linnet::jinja {
namespace {

struct Chunk {
  size_t begin, end;  // code points of the line
  [[nodiscard]] size_t length() const { return end - begin; }
};

// What textwrap.TextWrapper.wordsep_re takes apart: white space, words, words up to and with a hyphen,
// dashes.
class Splitter {
 public:
  explicit Splitter(std::u32string_view text) : text_(text) {}

  [[nodiscard]] std::vector<Chunk> split(bool at_hyphens) const {
    std::vector<Chunk> chunks;
    for (size_t begin = 0; begin < text_.size();) {
      const size_t end = is_blank(begin) ? blank_end(begin) : at_hyphens ? chunk_end(begin) : word_end(begin);
      chunks.push_back({begin, end});
      begin = end;
    }
    return chunks;
  }

 private:
  [[nodiscard]] char32_t at(size_t place) const { return place < text_.size() ? text_[place] : 0; }
  // ASCII white space only, of which a line has but these.
  [[nodiscard]] bool is_blank(size_t place) const { return at(place) == ' ' || at(place) == '\t'; }
  [[nodiscard]] bool is_word(size_t place) const { return at(place) == '_' || is_alphanumeric(at(place)); }
  [[nodiscard]] bool is_letter(size_t place) const { return is_word(place) && !is_decimal(at(place)); }
  [[nodiscard]] bool is_word_or_punctuation(size_t place) const {
    return is_word(place) ||
           (at(place) != 0 && std::u32string_view(U"!\"'&.,?").find(at(place)) != std::u32string_view::npos);
  }

  [[nodiscard]] size_t blank_end(size_t place) const {
    while (is_blank(place)) ++place;
    return place;
  }
  [[nodiscard]] size_t word_end(size_t place) const {
    while (place < text_.size() && !is_blank(place)) ++place;
    return place;
  }

  // The end of two or more dashes that join two words here; `place` if there are none.
  [[nodiscard]] size_t dashes_end(size_t place) const {
    if (place == 0 || at(place) != '-' || !is_word_or_punctuation(place - 1)) return place;
    size_t end = place;
    while (at(end) == '-') ++end;
    return end - place >= 2 && is_word(end) ? end : place;
  }

  // A hyphen after two letters or a letter, a hyphen and a letter, and before two letters or the same mixed.
  [[nodiscard]] bool is_break_hyphen(size_t place) const {
    if (at(place) != '-' || place < 2 || !is_letter(place - 1)) return false;
    const bool after = is_letter(place - 2) || (place >= 3 && at(place - 2) == '-' && is_letter(place - 3));
    return after && is_letter(place + 1) &&
           (is_letter(place + 2) || (at(place + 2) == '-' && is_letter(place + 3)));
  }

  [[nodiscard]] size_t chunk_end(size_t begin) const {
    if (const size_t end = dashes_end(begin); end != begin) return end;
    for (size_t place = begin + 1;; ++place) {
      if (is_break_hyphen(place)) return place + 1;
      if (place >= text_.size() || is_blank(place) || dashes_end(place) != place) return place;
    }
  }

  std::u32string_view text_;
};

class Wrapper {
 public:
  Wrapper(std::u32string_view text, const WrapStyle& style)
      : text_(text), style_(style), chunks_(Splitter(text).split(style.splits_at_hyphens)) {
    next_visible_.resize(text.size() + 1, text.size());
    for (size_t i = text.size(); i-- > 0;) next_visible_[i] = is_space(text[i]) ? next_visible_[i + 1] : i;
  }

  [[nodiscard]] std::vector<std::string> wrap() {
    std::vector<std::string> lines;
    while (next_ < chunks_.size()) {
      if (is_white(chunks_[next_]) && !lines.empty()) ++next_;
      take_chunks();
      if (next_ < chunks_.size() && chunks_[next_].length() > style_.width) take_part();
      if (!line_.empty() && is_white(line_.back())) line_.pop_back();
      if (!line_.empty())
        lines.push_back(to_utf8(text_.substr(line_.front().begin, line_.back().end - line_.front().begin)));
    }
    return lines;
  }

 private:
  [[nodiscard]] bool is_white(const Chunk& chunk) const { return next_visible_[chunk.begin] >= chunk.end; }

  // As many as fit.
  void take_chunks() {
    line_.clear();
    length_ = 0;
    while (next_ < chunks_.size() && length_ + chunks_[next_].length() <= style_.width) {
      line_.push_back(chunks_[next_++]);
      length_ += line_.back().length();
    }
  }

  // Of a chunk that no line has room for, what this one still has room for. That may be nothing: then the
  // chunk in front of it counts as the end of the line no more, and keeps its white space, as in Python.
  void take_part() {
    Chunk& chunk = chunks_[next_];
    if (!style_.breaks_long_words) {
      if (line_.empty()) line_.push_back(chunks_[next_++]);
      return;
    }
    size_t taken = style_.width - length_;
    if (style_.breaks_after_hyphen && chunk.length() > taken && taken > 0) {
      const std::u32string_view part = text_.substr(chunk.begin, taken);
      const size_t hyphen = part.rfind(U'-');
      if (hyphen != std::u32string_view::npos && part.find_first_not_of(U'-') < hyphen) taken = hyphen + 1;
    }
    line_.push_back({chunk.begin, chunk.begin + taken});
    chunk.begin += taken;
  }

  std::u32string_view text_;
  const WrapStyle& style_;
  std::vector<Chunk> chunks_;
  std::vector<size_t> next_visible_;  // for each place, the next character that is not white
  size_t next_ = 0;                   // chunk
  std::vector<Chunk> line_;
  size_t length_ = 0;  // of line_
};

}  // namespace

std::vector<std::string> wrap_line(std::string_view line, const WrapStyle& style, Budget& budget) {
  // At most: a character, its place, a chunk of it and a line of it.
  constexpr size_t kBytesPerCharacter =
      sizeof(char32_t) + sizeof(size_t) + 3 * sizeof(Chunk) + 2 * sizeof(std::string);
  budget.prepare_elements(line.size() + 1, kBytesPerCharacter);
  budget.prepare_text(line.size());
  const std::u32string characters = to_code_points(line);
  return Wrapper(characters, style).wrap();
}

}  // namespace linnet::jinja
