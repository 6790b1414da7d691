// What every fuzz target is made of: a target defines check_input(), target.cpp runs it and holds it to the
// bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/error.h"

// What a target holds to be always true: ends the program, with the place, where it is not. assert() would
// vanish from release builds, which replay the corpora too.
#define FUZZ_CHECK(condition)                                                             \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)

namespace linnet::fuzz {

// Of one run, on this thread. A run over them ends the program, as a wrong result does; the same with a
// sanitizer as without.
inline constexpr double kMostSeconds = 0.1;             // of the processor
inline constexpr size_t kMostBytes = size_t{64} << 20;  // that operator new gives out in all

// What the target does with one input: the same each time, because what took too long is run again.
void check_input(std::string_view input);

// What a parser of files may do with any bytes: read them, or refuse them as a model.
template <class Work>
void attempt(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    FUZZ_CHECK(error.kind() == ErrorKind::model);
  }
}

}  // namespace linnet::fuzz
