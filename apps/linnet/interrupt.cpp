#include "interrupt.h"

#include <csignal>

namespace linnet::cli {
namespace {

// A signal handler can reach nothing but globals.
volatile std::sig_atomic_t signalled = 0;

}  // namespace

void catch_interrupt() noexcept {
  struct sigaction action {};
  action.sa_handler = [](int) { signalled = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the next one has its usual effect
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

bool interrupted() noexcept {
  return signalled != 0;
}

}  // namespace linnet::cli
