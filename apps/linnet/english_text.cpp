#include "english_text.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string_view>
#include <utility>

namespace linnet::cli {
namespace {

using Words = std::span<const std::string_view>;

// The commonest first: a word is drawn the more often the further in front it stands.
constexpr std::string_view kNouns[] = {
    "time",       "year",        "people",    "way",         "day",          "man",         "thing",
    "woman",      "life",        "child",     "world",       "school",       "state",       "family",
    "student",    "group",       "country",   "problem",     "hand",         "part",        "place",
    "case",       "week",        "company",   "system",      "program",      "question",    "work",
    "government", "number",      "night",     "point",       "home",         "water",       "room",
    "mother",     "area",        "money",     "story",       "fact",         "month",       "lot",
    "right",      "study",       "book",      "eye",         "job",          "word",        "business",
    "issue",      "side",        "kind",      "head",        "house",        "service",     "friend",
    "father",     "power",       "hour",      "game",        "line",         "end",         "member",
    "law",        "car",         "city",      "community",   "name",         "president",   "team",
    "minute",     "idea",        "body",      "information", "back",         "parent",      "face",
    "level",      "office",      "door",      "health",      "person",       "art",         "war",
    "history",    "party",       "result",    "change",      "morning",      "reason",      "research",
    "girl",       "guy",         "moment",    "air",         "teacher",      "force",       "education",
    "river",      "bird",        "garden",    "winter",      "harbour",      "kitchen",     "letter",
    "window",     "island",      "market",    "engine",      "village",      "captain",     "library",
    "neighbour",  "mountain",    "bridge",    "machine",     "doctor",       "painter",     "stranger",
    "railway",    "evening",     "weather",   "silence",     "journey",      "carpenter",   "blanket",
    "lantern",    "orchard",     "chimney",   "newspaper",   "conversation", "experiment",  "committee",
    "telescope",  "memory",      "shoulder",  "furniture",   "distance",     "temperature", "instrument",
    "agreement",  "translation", "discovery", "barometer",   "hedgerow",     "parliament",  "manuscript",
    "lighthouse", "apprentice",  "orchestra", "thunderstorm"};
constexpr std::string_view kAdjectives[] = {
    "new",        "good",       "old",         "great",         "small",     "large",    "young",
    "long",       "little",     "public",      "different",     "social",    "local",    "early",
    "national",   "political",  "important",   "possible",      "late",      "real",     "whole",
    "certain",    "human",      "clear",       "white",         "open",      "single",   "cold",
    "quiet",      "strange",    "narrow",      "wooden",        "bright",    "heavy",    "careful",
    "empty",      "distant",    "gentle",      "familiar",      "stubborn",  "northern", "ordinary",
    "patient",    "crowded",    "remarkable",  "unexpected",    "reluctant", "delicate", "peculiar",
    "melancholy", "scientific", "extravagant", "weather-beaten"};
constexpr std::string_view kVerbs[] = {
    "said",     "went",     "made",      "knew",       "thought",  "took",      "saw",        "came",
    "wanted",   "looked",   "used",      "found",      "gave",     "told",      "worked",     "called",
    "tried",    "asked",    "needed",    "felt",       "became",   "left",      "put",        "meant",
    "kept",     "let",      "began",     "seemed",     "helped",   "showed",    "heard",      "played",
    "ran",      "moved",    "lived",     "believed",   "held",     "brought",   "happened",   "wrote",
    "sat",      "stood",    "lost",      "paid",       "met",      "carried",   "remembered", "opened",
    "followed", "waited",   "watched",   "crossed",    "mended",   "gathered",  "noticed",    "whispered",
    "measured", "promised", "explained", "discovered", "wandered", "hesitated", "persuaded"};
constexpr std::string_view kAdverbs[] = {"not",      "then",    "again",     "never",     "always",
                                         "still",    "already", "slowly",    "perhaps",   "quickly",
                                         "suddenly", "hardly",  "carefully", "afterwards"};
constexpr std::string_view kDeterminers[] = {"the", "a",    "his",   "her",  "their", "this",
                                             "our", "that", "every", "some", "no"};
constexpr std::string_view kPronouns[] = {"he", "she", "it", "they", "I", "we", "you", "nobody", "everyone"};
constexpr std::string_view kPrepositions[] = {
    "of",   "to",    "in",      "for",   "with",    "on",      "at",   "from",   "by",      "about",
    "into", "after", "without", "under", "between", "through", "over", "before", "against", "beside"};
constexpr std::string_view kJoints[] = {", and ", " and ",  ", but ",   " that ", " because ",
                                        "; ",     " when ", ", which ", " if "};
constexpr std::string_view kSaid[] = {
    "I don't know",   "It's late",    "we'll see",      "you've been here before",
    "that isn't all", "they're gone", "I'd rather wait"};
// Rare words are put together from these; of names and terms prose has more than any list.
constexpr std::string_view kStarts[] = {
    "calc", "obs",   "reg",   "nav",   "illum", "cult", "fabr",  "mod",   "sep",   "term", "ven",  "osc",
    "perf", "conso", "trans", "Kar",   "Mar",   "Ell",  "Thom",  "Wend",  "Bern",  "Osw",  "Lin",  "Harr",
    "Verm", "Sal",   "Quint", "inter", "under", "over", "count", "micro", "photo", "hydr", "semi", "stron"};
constexpr std::string_view kMiddles[] = {"",   "",   "",    "",    "ul",  "er", "in",
                                         "at", "ol", "ari", "ono", "ent", "id", "ap"};
constexpr std::string_view kEnds[] = {"ated", "ation", "ating", "atory", "ators", "able", "ative",
                                      "ism",  "ist",   "ity",   "ment",  "ford",  "wick", "ley",
                                      "sen",  "ham",   "graph", "meter", "logy",  "ous",  "ness",
                                      "ton",  "field", "worth", "dora",  "ically"};

class Writer {
 public:
  explicit Writer(size_t bytes) { text_.reserve(bytes + 1024); }

  void sentence() {
    const size_t begin = text_.size();
    if (chance(8)) {
      text_ += '"';
      text_ += any(kSaid);
      text_ += ",\" ";
    }
    clause();
    for (uint32_t more = random() % 3; more > 0; --more) {
      text_ += any(kJoints);
      clause();
    }
    text_ += chance(12) ? '?' : '.';
    char& first = text_[begin] == '"' ? text_[begin + 1] : text_[begin];
    if (first >= 'a' && first <= 'z') first = static_cast<char>(first - 'a' + 'A');
    text_ += ++sentences_ % 6 == 0 ? "\n\n" : " ";
  }

  [[nodiscard]] std::string& text() { return text_; }

 private:
  [[nodiscard]] uint32_t random() { return static_cast<uint32_t>(random_()); }
  [[nodiscard]] bool chance(uint32_t one_in) { return random() % one_in == 0; }
  [[nodiscard]] std::string_view any(Words words) { return words[random() % words.size()]; }
  // The smaller of two draws: the first words come twice as often as those in the middle.
  [[nodiscard]] std::string_view common(Words words) {
    return words[std::min(random() % words.size(), random() % words.size())];
  }

  void word(std::string_view word) { (text_ += word) += ' '; }

  void noun_phrase() {
    if (chance(6)) return word(common(kPronouns));
    word(common(kDeterminers));
    if (chance(3)) word(common(kAdjectives));
    if (chance(4)) {
      text_ += any(kStarts);
      text_ += any(kMiddles);
      return word(any(kEnds));
    }
    text_ += common(kNouns);
    word(chance(4) ? "s" : "");
  }

  void clause() {
    noun_phrase();
    if (chance(5)) word(common(kAdverbs));
    word(common(kVerbs));
    if (!chance(4)) noun_phrase();
    for (uint32_t more = random() % 3; more > 0; --more) {
      word(common(kPrepositions));
      noun_phrase();
    }
    if (chance(20)) word(year());
    text_.pop_back();  // the space after the last word
  }

  [[nodiscard]] std::string year() { return "in " + std::to_string(1700 + random() % 320); }

  std::mt19937 random_{1};
  std::string text_;
  uint32_t sentences_ = 0;
};

}  // namespace

std::string english_text(size_t bytes) {
  Writer writer(bytes);
  while (writer.text().size() < bytes) writer.sentence();
  return std::move(writer.text());
}

}  // namespace linnet::cli
