#include "text/matcher.h"

#include "base/error.h"
#include "text/script_classes.h"
#include "text/word_scanner.h"

namespace linnet {
namespace {

class EachCharacter final : public Matcher {
 public:
  explicit EachCharacter(CharacterTest test) : test_(test) {}
  std::optional<TextRange> find(std::string_view text, size_t from, uint64_t& spent) const override {
    while (from < text.size()) {
      const CodePoint code = decode(text.substr(from));
      ++spent;
      if (test_(code.value)) return TextRange{from, from + code.bytes};
      from += code.bytes;
    }
    return std::nullopt;
  }

 private:
  CharacterTest test_;
};

class Runs final : public Matcher {
 public:
  Runs(CharacterTest test, bool takes_space) : test_(test), takes_space_(takes_space) {}
  std::optional<TextRange> find(std::string_view text, size_t from, uint64_t& spent) const override {
    while (from < text.size()) {
      const CodePoint code = decode(text.substr(from));
      ++spent;
      if (takes_space_ && is_space(code.value)) {
        const size_t end = run_end(text, from + code.bytes, spent);
        if (end > from + code.bytes) return TextRange{from, end};
      }
      if (test_(code.value)) return TextRange{from, run_end(text, from + code.bytes, spent)};
      from += code.bytes;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] size_t run_end(std::string_view text, size_t at, uint64_t& spent) const {
    while (at < text.size()) {
      const CodePoint code = decode(text.substr(at));
      ++spent;
      if (!test_(code.value)) break;
      at += code.bytes;
    }
    return at;
  }

  CharacterTest test_;
  bool takes_space_;
};

class Words final : public Matcher {
 public:
  explicit Words(size_t (*scan)(std::string_view, size_t) noexcept) : scan_(scan) {}
  std::optional<TextRange> find(std::string_view text, size_t from, uint64_t& spent) const override {
    if (from >= text.size()) return std::nullopt;
    const size_t end = scan_(text, from);
    spent += end - from;
    return TextRange{from, end};
  }

 private:
  size_t (*scan_)(std::string_view, size_t) noexcept;
};

class WordsAndSymbols final : public Matcher {
 public:
  std::optional<TextRange> find(std::string_view text, size_t from, uint64_t& spent) const override {
    enum class Run : uint8_t { word, symbol, space };
    const auto class_of = [](char32_t code) {
      return is_word(code) ? Run::word : is_space(code) ? Run::space : Run::symbol;
    };
    size_t at = from;
    Run kind = Run::space;
    while (at < text.size()) {
      const CodePoint code = decode(text.substr(at));
      const Run now = class_of(code.value);
      ++spent;
      if (kind == Run::space) {
        from = at;
        kind = now;
      } else if (now != kind) {
        break;
      }
      at += code.bytes;
    }
    if (kind == Run::space) return std::nullopt;
    return TextRange{from, at};
  }
};

class FixedText final : public Matcher {
 public:
  explicit FixedText(std::string text) : text_(std::move(text)) {}
  std::optional<TextRange> find(std::string_view text, size_t from, uint64_t& spent) const override {
    const size_t at = text.find(text_, from);
    spent += (at == std::string_view::npos ? text.size() : at) - from + 1;
    if (at == std::string_view::npos) return std::nullopt;
    return TextRange{at, at + text_.size()};
  }

 private:
  std::string text_;
};

class GeneralPattern final : public Matcher {
 public:
  explicit GeneralPattern(std::string_view source) : pattern_(source) {}
  std::optional<TextRange> find(std::string_view text, size_t from, uint64_t& spent) const override {
    return pattern_.find(text, from, spent, Pattern::most_steps(text.size()));
  }

 private:
  Pattern pattern_;
};

}  // namespace

std::unique_ptr<Matcher> match_each(CharacterTest test) {
  return std::make_unique<EachCharacter>(test);
}
std::unique_ptr<Matcher> match_runs(CharacterTest test) {
  return std::make_unique<Runs>(test, false);
}
std::unique_ptr<Matcher> match_runs_with_space(CharacterTest test) {
  return std::make_unique<Runs>(test, true);
}

std::unique_ptr<Matcher> match_words(size_t (*scan)(std::string_view text, size_t at) noexcept) {
  return std::make_unique<Words>(scan);
}

std::unique_ptr<Matcher> match_words_and_symbols() {
  return std::make_unique<WordsAndSymbols>();
}

std::unique_ptr<Matcher> match_text(std::string text) {
  return std::make_unique<FixedText>(std::move(text));
}

std::unique_ptr<Matcher> match_pattern(std::string_view source) {
  if (source == kGpt2Pattern) return match_words(scan_gpt2);
  if (source == kLlama3Pattern) return match_words(scan_llama3);
  if (source == kQwen2Pattern) return match_words(scan_qwen2);
  if (source == "[\r\n]" || source == R"([\r\n])") return match_each(is_line_break);
  if (source == R"(\s?\p{L}+)") return match_runs_with_space(is_letter);
  if (source == R"(\s?\p{P}+)") return match_runs_with_space(is_punctuation);
  if (source == R"(\p{N})") return match_each(is_number);
  if (source == R"(\p{N}+)") return match_runs(is_number);
  if (source == kCjkPattern) return match_runs(is_deepseek_cjk);
  if (source == kAlphabetPattern) return match_runs_with_space(is_deepseek_alphabet);
  if (source == kAsianPunctuationPattern) return match_runs_with_space(is_deepseek_punctuation);
  return std::make_unique<GeneralPattern>(source);
}

}  // namespace linnet
