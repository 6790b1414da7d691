// Any text through small vocabularies of each kind, compared with the slow version of the algorithm. The
// first byte chooses the kind.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "target.h"
#include "text/model_checks.h"

void linnet::fuzz::check_input(std::string_view input) {
  if (input.empty()) return;
  const std::string_view text = input.substr(1);
  const auto at_most = [&](size_t bytes) { return text.substr(0, std::min(bytes, text.size())); };
  std::string difference;
  switch (static_cast<unsigned char>(input[0]) % 5) {
    case 0:
      difference = test::check_byte_bpe(at_most(96));  // long enough for the heap
      break;
    case 1:
      difference = test::check_character_bpe(at_most(96));
      break;
    case 2:
      difference = test::check_word_piece(at_most(100));
      break;
    case 3:
      difference = test::check_unigram(at_most(16));  // the slow version tries every cut
      break;
    case 4:
      difference = test::check_marked_bpe(at_most(96));
      break;
  }
  if (!difference.empty()) std::fprintf(stderr, "%s\n", difference.c_str());
  FUZZ_CHECK(difference.empty());
}
