// What a parser of files may do with any bytes: read them, or refuse them as a model.
#pragma once

#include "base/error.h"
#include "check.h"

namespace linnet::fuzz {

template <class Work>
void attempt(Work work) {
  try {
    work();
  } catch (const Error& error) {
    FUZZ_CHECK(error.kind() == ErrorKind::model);
  }
}

}  // namespace linnet::fuzz
