#include "bench_tokenizer.h"

#include <ctime>

#include "base/error.h"
#include "interrupt.h"

namespace linnet::cli {
namespace {

// What this thread has had of a processor: other programs on the machine do not count.
double processor_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

TokenizerSpeed measure_tokenizer(const Tokenizer& tokenizer, std::string_view text, unsigned repetitions) {
  TokenizerSpeed speed{.kind = std::string(tokenizer.kind()), .bytes = text.size(), .tokens = 0, .runs = {}};
  for (unsigned i = 0; i <= repetitions; ++i) {  // the first one warms up
    if (interrupted()) fail(ErrorKind::interrupted, "interrupted");
    const double begin = processor_seconds();
    speed.tokens =
        tokenizer.encode(text, {.add_special = false, .parse_special = false, .truncate = false}).size();
    const double seconds = processor_seconds() - begin;
    if (i > 0) speed.runs.push_back(static_cast<double>(speed.tokens) / seconds);
  }
  return speed;
}

}  // namespace linnet::cli
