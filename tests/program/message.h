// The message of the Error that a function throws, or "no error".
#pragma once

#include <string>

#include "base/error.h"

namespace linnet {

template <class Function>
std::string message_of(Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace linnet
