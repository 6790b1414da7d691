#include "interrupt.h"

#include <csignal>

namespace linnet::cli {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<bool> signalled = false;
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

void catch_interrupt() noexcept {
  struct sigaction action {};
  action.sa_handler = [](int) { signalled.store(true, std::memory_order_relaxed); };
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the next one has its usual effect
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
}

bool interrupted() noexcept {
  return signalled.load(std::memory_order_relaxed);
}

const std::atomic<bool>& interrupt_flag() noexcept {
  return signalled;
}

}  // namespace linnet::cli
