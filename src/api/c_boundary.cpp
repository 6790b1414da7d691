#include "api/c_boundary.h"

#include <cstdlib>
#include <new>

namespace linnet::v0 {
namespace {

std::string& last_error() noexcept {
  thread_local std::string message;
  return message;
}

}  // namespace

void keep_error(std::string_view message) noexcept {
  try {
    last_error() = message;
  } catch (...) {
    last_error().clear();
  }
}

linnet_status caught() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    keep_error(error.what());
    return static_cast<linnet_status>(error.kind());
  } catch (const std::bad_alloc&) {
    keep_error("the system has no memory left");
    return LINNET_DOES_NOT_FIT;
  } catch (const std::exception& error) {
    keep_error(error.what());
    return LINNET_FAILURE;
  } catch (...) {
    keep_error("an exception that is no std::exception");
    return LINNET_FAILURE;
  }
}

char* given_string(std::string_view text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  return copy;
}

}  // namespace linnet::v0

extern "C" {

const char* linnet_last_error(void) {
  return linnet::v0::last_error().c_str();
}

void linnet_string_free(char* string) {
  std::free(string);
}
}
