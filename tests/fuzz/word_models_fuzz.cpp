// Any text through small vocabularies of each kind, compared with the slow version of the algorithm. The
// first byte chooses the kind.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "bounds.h"
#include "check.h"
#include "text/model_checks.h"

namespace linnet {
namespace {

void check_input(const uint8_t* data, size_t size) {
  if (size == 0) return;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto at_most = [&](size_t bytes) { return text.substr(0, std::min(bytes, text.size())); };
  std::string difference;
  switch (data[0] % 4) {
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
  }
  if (!difference.empty()) std::fprintf(stderr, "%s\n", difference.c_str());
  FUZZ_CHECK(difference.empty());
}

}  // namespace
}  // namespace linnet

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  linnet::fuzz::within_bounds([&] { linnet::check_input(data, size); });
  return 0;
}
