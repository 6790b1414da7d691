// Ctrl-C: the first one asks the program to stop, the second one kills it.
#pragma once

#include <atomic>

namespace linnet::cli {

// From here on the first SIGINT only sets a flag.
void catch_interrupt() noexcept;
[[nodiscard]] bool interrupted() noexcept;
// The flag itself, for work that looks at it on its own.
[[nodiscard]] const std::atomic<bool>& interrupt_flag() noexcept;

// What the first SIGINT asked for was done: the next one is a first one again.
void forget_interrupt() noexcept;
// Waits until the descriptor has something to read, or has ended; false if a SIGINT came before that.
[[nodiscard]] bool wait_for_input(int descriptor) noexcept;

}  // namespace linnet::cli
