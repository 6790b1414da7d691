// Regular expressions: what is read, what is refused, and matches as a backtracking matcher finds them.
#include "text/pattern.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "text/matcher.h"
#include "text/script_classes.h"
#include "text/slow_tokenizers.h"
#include "text/word_scanner.h"

namespace linnet {
namespace {

[[nodiscard]] std::vector<std::string> matches(std::string_view pattern, std::string_view text) {
  const Pattern compiled(pattern);
  std::vector<std::string> found;
  uint64_t steps = 0;
  for (size_t from = 0; from <= text.size();) {
    const auto match = compiled.find(text, from, steps, UINT64_MAX);
    if (!match) break;
    found.emplace_back(text.substr(match->begin, match->end - match->begin));
    from = std::max(match->end, match->begin + 1);
  }
  return found;
}

using Texts = std::vector<std::string>;

TEST(Pattern, PrefersTheFirstAlternativeNotTheLongest) {
  EXPECT_EQ(matches("a|ab", "ab"), (Texts{"a"}));
  EXPECT_EQ(matches("(?:a|ab)c", "abc"), (Texts{"abc"}));
  EXPECT_EQ(matches("a*?b|a", "aab"), (Texts{"aab"}));
}

TEST(Pattern, RepeatsGreedilyLazilyAndPossessively) {
  EXPECT_EQ(matches("a{1,2}", "aaaaa"), (Texts{"aa", "aa", "a"}));
  EXPECT_EQ(matches("a{1,2}?", "aaa"), (Texts{"a", "a", "a"}));
  EXPECT_EQ(matches("a{,2}b", "aaab"), (Texts{"aab"}));
  EXPECT_EQ(matches("a{2}", "aaaaa"), (Texts{"aa", "aa"}));
  EXPECT_EQ(matches("a++b|a", "aab"), (Texts{"aab"}));
  EXPECT_EQ(matches("a++a|b", "aaab"), (Texts{"b"})) << "nothing is given back";
  EXPECT_EQ(matches("a?+a", "a aa"), (Texts{"aa"}));
  EXPECT_EQ(matches("a*+a|b", "aab"), (Texts{"b"}));
  EXPECT_EQ(matches("(?:ab){2,}", "ababab"), (Texts{"ababab"}));
  EXPECT_EQ(matches("x{,y", "x{,y"), (Texts{"x{,y"})) << "a brace that is no interval";
}

TEST(Pattern, KnowsCategoriesEscapesAndSets) {
  EXPECT_EQ(matches(R"(\p{Lu}\p{Ll}+)", "Ähre École x"), (Texts{"Ähre", "École"}));
  EXPECT_EQ(matches(R"([^\s\p{L}\p{N}]+)", "a !? 1 — ²"), (Texts{"!?", "—"}));
  EXPECT_EQ(matches(R"([^\W\d_]+)", "ab_1c"), (Texts{"ab", "c"}));
  EXPECT_EQ(matches(R"([\x41-\x{43}\u00e9]+)", "ABCDé"), (Texts{"ABC", "é"}));
  EXPECT_EQ(matches(R"([a[b-d]]+)", "abcde"), (Texts{"abcd"}));
  EXPECT_EQ(matches(R"(\P{L}|\p{^L})", "a1"), (Texts{"1"}));
  EXPECT_EQ(matches(R"([]a]+)", "a]b"), (Texts{"a]"}));
  EXPECT_EQ(matches(R"(.)", "\na"), (Texts{"a"}));
}

TEST(Pattern, IgnoresCaseWhereAsked) {
  EXPECT_EQ(matches("(?i:'s|'ll)x", "'Sx 'lLx 'sX"), (Texts{"'Sx", "'lLx"}));
  EXPECT_EQ(matches("x(?i)a|b", "xA xb B"), (Texts{"xA", "xb"})) << "a group to the end of the one around it";
  EXPECT_EQ(matches("(?:(?i)a)a", "Aa AA"), (Texts{"Aa"}));
  EXPECT_EQ(matches("(?i:[b-d])", "aBCe"), (Texts{"B", "C"}));
  EXPECT_EQ(matches("(?i:[^b])", "aBb"), (Texts{"a"}));
  EXPECT_EQ(matches("(?i:s|k)", "\u017F\u212A"), (Texts{"\u017F", "\u212A"}));
}

TEST(Pattern, GoesOnAfterWhatBeganLikeAMatch) {
  EXPECT_EQ(matches("S?x", "Scbx"), (Texts{"x"}));
  EXPECT_EQ(matches("a?b?c", "abxac"), (Texts{"ac"}));
}

TEST(Pattern, LooksAheadAndAtLines) {
  EXPECT_EQ(matches(R"(\s+(?!\S)|\s+)", "a   b "), (Texts{"  ", " ", " "}));
  EXPECT_EQ(matches(R"(a(?=b))", "ab ac"), (Texts{"a"}));
  EXPECT_EQ(matches("^a|b$", "a\nab\nb"), (Texts{"a", "a", "b", "b"}));
  EXPECT_EQ(matches("^", "a\n"), (Texts{""})) << "no line begins at the end";
}

TEST(Pattern, RefusesByNameWhatItCannotRunExactly) {
  const auto expect_refused = [](std::string_view pattern, std::string_view reason) {
    try {
      (void)Pattern(pattern);
      ADD_FAILURE() << pattern << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::model);
      EXPECT_NE(std::string_view(error.what()).find(reason), std::string_view::npos) << error.what();
    }
  };
  expect_refused("(?<=a)b", "look-behind");
  expect_refused("(?<!a)b", "look-behind");
  expect_refused("a(?=bc)", "look-ahead at more than one character");
  expect_refused("(?>a)", "this kind of group");
  expect_refused("(?<name>a)", "this kind of group");
  expect_refused(R"(\bword\b)", R"(the escape \b)");
  expect_refused(R"((a)\1)", R"(the escape \1)");
  expect_refused(R"(\p{Han})", "the property 'Han'");
  expect_refused(R"([\p{L}&&\p{Lu}])", "intersection");
  expect_refused("[[:alpha:]]", "POSIX");
  expect_refused("(?:a|)*", "repetition of what may be empty");
  expect_refused("(?:a*)+", "repetition of what may be empty");
  expect_refused("(?i)\u00C4", "beyond ASCII without regard to case");
  expect_refused("(?i:[a-\u00FF])", "beyond ASCII without regard to case");
  expect_refused("(?i:Ss)", "ss, st, ff");
  expect_refused(R"((?i:\p{Lu}))", "by category without regard to case");
  expect_refused("(?:ab)++", "possessive quantifier");
  expect_refused("(a", "not closed");
  expect_refused("a)", "')' without");
  expect_refused("[a", "not closed");
  expect_refused("*a", "nothing before it");
  expect_refused("[z-a]", "from more to less");
  expect_refused("a{3,2}", "from more to less");
  expect_refused("a{1001}", "too often");
  expect_refused("(?:a{1000}){1000}", "too large");
  expect_refused(std::string(100, '('), "nested too deeply");
  expect_refused("\xFF", "not UTF-8");
  expect_refused(R"(\x{110000})", "names no character");
}

TEST(Pattern, AHostilePatternIsBoundedOnAHostileText) {
  // Every search reads to the end to see whether there is a b.
  const std::unique_ptr<Matcher> matcher = match_pattern("a*b|a");
  EncodeWork work;
  const auto ignore = [](TextRange) {};
  EXPECT_THROW(for_each_match(*matcher, std::string(1 << 16, 'a'), work, ignore, ignore), Error);
  EXPECT_NO_THROW(for_each_match(*matcher, std::string(1 << 16, 'b'), work, ignore, ignore));
}

// Patterns that models use and some that try the machine; texts from characters that matter to them.
constexpr std::string_view kCharacters[] = {
    "a", "b", "S", "s",      "'",  " ", "  ",     "\n",     "\r",   "\t",   "1", "2", "!",  ".",  "_", "ä",
    "Ä", "ſ", "é", "\u0301", "中", "²", "\u00A0", "\u3000", "🙂", "\xFF", "t", "l", "ll", "re", "v", "e"};

[[nodiscard]] std::string random_text(std::mt19937& random, size_t most) {
  std::string text;
  for (size_t i = random() % most; i > 0; --i) text += kCharacters[random() % std::size(kCharacters)];
  return text;
}

TEST(Pattern, FindsWhatABacktrackingMatcherFinds) {
  const std::string_view patterns[] = {
      kGpt2Pattern,
      kLlama3Pattern,
      kQwen2Pattern,
      R"(\s+$)",
      R"(a*?b|a+)",
      R"((?:a|ab|b){1,3}?(?!b)|\s{2})",
      R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s)",
      R"((?:ab|a(?=b)|b)*c|(?:)|.\n)",
      R"((a|b|){1,3}?s)",
      R"(a*??.|(?:|b)?s)",
      R"(\w{2,4}?|\d{,2}\.|[^\W\d_]+)",
      "^a|b$|^$"};
  std::mt19937 random(5);
  for (const std::string_view source : patterns) {
    const Pattern pattern(source);
    test::SlowPattern slow(source);
    for (int round = 0; round < 300; ++round) {
      const std::string text = random_text(random, 12);
      size_t from = 0;
      while (from <= text.size()) {
        uint64_t steps = 0;
        const auto match = pattern.find(text, from, steps, UINT64_MAX);
        const auto expected = slow.find(text, from);
        ASSERT_EQ(match.has_value(), expected.has_value()) << source << " in '" << text << "' from " << from;
        if (!match) break;
        ASSERT_EQ(std::pair(match->begin, match->end), *expected)
            << source << " in '" << text << "' from " << from;
        from = match->end > from ? match->end
                                 : from + (from < text.size() ? decode(text.substr(from)).bytes : 1);
      }
    }
  }
}

TEST(WordScanner, FindsTheWordsOfItsPattern) {
  const std::tuple<std::string_view, size_t (*)(std::string_view, size_t) noexcept> scanners[] = {
      {kGpt2Pattern, scan_gpt2}, {kLlama3Pattern, scan_llama3}, {kQwen2Pattern, scan_qwen2}};
  std::mt19937 random(6);
  for (const auto& [source, scan] : scanners) {
    const Pattern pattern(source);
    for (int round = 0; round < 3000; ++round) {
      const std::string text = random_text(random, 30);
      uint64_t steps = 0;
      for (size_t at = 0; at < text.size();) {
        const auto match = pattern.find(text, at, steps, UINT64_MAX);
        ASSERT_TRUE(match && match->begin == at) << source << " leaves a gap in '" << text << "' at " << at;
        ASSERT_EQ(scan(text, at), match->end) << source << " in '" << text << "' at " << at;
        at = match->end;
      }
    }
  }
}

TEST(Matcher, HandWrittenOnesFindWhatTheirPatternsFind) {
  std::mt19937 random(7);
  for (const std::string_view source :
       {std::string_view(R"(\s?\p{L}+)"), std::string_view(R"(\s?\p{P}+)"), std::string_view(R"(\p{N})"),
        std::string_view(R"(\p{N}+)"), std::string_view("[\r\n]"), kCjkPattern, kAlphabetPattern,
        kAsianPunctuationPattern}) {
    const std::unique_ptr<Matcher> matcher = match_pattern(source);
    const Pattern pattern(source);
    for (int round = 0; round < 1000; ++round) {
      const std::string text = random_text(random, 20);
      uint64_t steps = 0;
      for (size_t from = 0; from < text.size();) {
        const auto match = matcher->find(text, from, steps);
        const auto expected = pattern.find(text, from, steps, UINT64_MAX);
        ASSERT_EQ(match.has_value(), expected.has_value()) << source << " in '" << text << "' from " << from;
        if (!match) break;
        ASSERT_EQ(match->begin, expected->begin) << source << " in '" << text << "'";
        ASSERT_EQ(match->end, expected->end) << source << " in '" << text << "'";
        from = match->end;
      }
    }
  }
}

}  // namespace
}  // namespace linnet
