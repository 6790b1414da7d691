// Stop strings in text that comes in pieces: the result never depends on where the pieces are cut.
#include "text/stop_strings.h"

#include <gtest/gtest.h>

#include <random>

#include "base/error.h"

namespace linnet {
namespace {

struct Outcome {
  std::string text;
  bool stopped;
  bool operator==(const Outcome&) const = default;
};

[[nodiscard]] Outcome feed(StopStrings stops, const std::vector<std::string>& pieces) {
  Outcome outcome{"", false};
  for (const std::string& piece : pieces) {
    const StopStrings::Result result = stops.push(piece);
    outcome.text += result.text;
    outcome.stopped = result.stopped;
  }
  const StopStrings::Result result = stops.finish();
  return {outcome.text + result.text, result.stopped};
}

TEST(StopStrings, TextWithoutAStopPassesAtOnce) {
  StopStrings stops({"END"});
  EXPECT_EQ(stops.push("hello ").text, "hello ");
  EXPECT_EQ(stops.push("world").text, "world");
  EXPECT_FALSE(stops.finish().stopped);
}

TEST(StopStrings, AStopThatStraddlesPiecesIsFoundAndNothingOfItGivenOut) {
  StopStrings stops({"\nUser:"});
  EXPECT_EQ(stops.push("yes\nU").text, "yes");
  EXPECT_EQ(stops.push("se").text, "");
  const StopStrings::Result result = stops.push("r: more");
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.text, "");
  EXPECT_EQ(stops.met(), "\nUser:");
  EXPECT_TRUE(stops.push("ignored").stopped);
  EXPECT_EQ(stops.push("ignored").text, "");
}

TEST(StopStrings, ABeginningThatComesToNothingIsGivenOut) {
  StopStrings stops({"\nUser:"});
  EXPECT_EQ(stops.push("a\nUs").text, "a");
  EXPECT_EQ(stops.push("ual").text, "\nUsual");
  EXPECT_EQ(stops.push("\nUser").text, "");
  EXPECT_EQ(stops.finish().text, "\nUser");
}

TEST(StopStrings, ABeginningInsideAFailedBeginningIsNotLost) {
  EXPECT_EQ(feed(StopStrings({"aab"}), {"a", "a", "a", "b", "c"}), (Outcome{"a", true}));
  EXPECT_EQ(feed(StopStrings({"abac"}), {"aba", "bac"}), (Outcome{"ab", true}));
}

TEST(StopStrings, TheStopThatBeginsFirstEndsTheText) {
  EXPECT_EQ(feed(StopStrings({"bc", "abcd"}), {"xabc", "d"}), (Outcome{"x", true}));
  EXPECT_EQ(feed(StopStrings({"bc", "abcd"}), {"xabc", "e"}), (Outcome{"xa", true}));
  EXPECT_EQ(feed(StopStrings({"bc", "abcd"}), {"xabc"}), (Outcome{"xa", true}))
      << "decided by the end of the text";
}

TEST(StopStrings, ResetBeginsAnew) {
  StopStrings stops({"x"});
  EXPECT_TRUE(stops.push("ax").stopped);
  stops.reset();
  EXPECT_EQ(stops.push("b").text, "b");
}

TEST(StopStrings, NoStopsPassEverythingAndEmptyOnesAreRefused) {
  EXPECT_EQ(feed(StopStrings({}), {"a", "b"}), (Outcome{"ab", false}));
  EXPECT_THROW(StopStrings({"a", ""}), Error);
}

TEST(StopStrings, TheResultDoesNotDependOnHowTheTextIsCut) {
  std::mt19937 random(13);
  const auto random_text = [&](size_t size) {
    std::string text;
    while (text.size() < size) text += "ab"[random() % 2];
    return text;
  };
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::string> stops;
    for (size_t i = 1 + random() % 3; i > 0; --i) stops.push_back(random_text(2 + random() % 5));
    const std::string text = random_text(random() % 24);
    size_t first = std::string::npos;
    for (const std::string& stop : stops) first = std::min(first, text.find(stop));
    std::vector<std::string> pieces;
    for (size_t at = 0; at < text.size();) {
      const size_t size = 1 + random() % 4;
      pieces.push_back(text.substr(at, size));
      at += size;
    }
    ASSERT_EQ(feed(StopStrings(stops), pieces), (Outcome{text.substr(0, first), first != std::string::npos}))
        << text;
  }
}

}  // namespace
}  // namespace linnet
