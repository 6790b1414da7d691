#include "interrupt.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace linnet::cli {
namespace {

// A signal handler can reach nothing but globals.
std::atomic<bool> signalled = false;
static_assert(std::atomic<bool>::is_always_lock_free);
// It also writes to a pipe: a flag alone would not wake a thread that is about to wait, and the handler may
// run in any thread.
constexpr int kNone = -1;
std::atomic<int> wake_reader = kNone, wake_writer = kNone;

void on_interrupt(int) {
  signalled.store(true, std::memory_order_relaxed);
  const int before = errno;
  const char byte = 0;
  [[maybe_unused]] const ssize_t written = ::write(wake_writer, &byte, 1);  // a full pipe wakes as well
  errno = before;
}

}  // namespace

void catch_interrupt() noexcept {
  if (std::array<int, 2> ends{}; wake_writer == kNone && ::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0) {
    wake_reader = ends[0];
    wake_writer = ends[1];
  }
  struct sigaction action {};
  action.sa_handler = on_interrupt;
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

void forget_interrupt() noexcept {
  std::array<char, 16> bytes{};
  while (::read(wake_reader, bytes.data(), bytes.size()) > 0) {
  }
  signalled.store(false, std::memory_order_relaxed);
  catch_interrupt();
}

bool wait_for_input(int descriptor) noexcept {
  std::array<pollfd, 2> waiting = {{{.fd = descriptor, .events = POLLIN, .revents = 0},
                                    {.fd = wake_reader, .events = POLLIN, .revents = 0}}};
  while (!interrupted()) {
    const int ready = ::poll(waiting.data(), waiting.size(), -1);
    if (ready < 0 && errno != EINTR) return true;  // reading will say what is wrong
    if (ready > 0 && waiting[0].revents != 0) return !interrupted();
  }
  return false;
}

}  // namespace linnet::cli
