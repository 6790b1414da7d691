#include "suggest.h"

#include <algorithm>
#include <numeric>

namespace linnet::cli {
namespace {

// Levenshtein's distance, one row of the table at a time.
size_t edits(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> verb_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* verb : program.get_subcommands({})) names.push_back(verb->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string nearest(std::string_view typed, const std::vector<std::string>& names) {
  constexpr size_t kLongest = 64;  // nothing longer is a slip of the finger
  if (typed.size() > kLongest) return {};
  std::string best;
  size_t fewest = 1 + typed.size() / 3;
  for (const std::string& name : names) {
    const size_t distance = edits(typed, name);
    if (distance <= fewest && (best.empty() || distance < fewest)) {
      best = name;
      fewest = distance;
    }
  }
  return best;
}

}  // namespace linnet::cli
