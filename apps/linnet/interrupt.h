// Ctrl-C: the first one asks the program to stop, the second one kills it.
#pragma once

namespace linnet::cli {

// From here on the first SIGINT only sets a flag.
void catch_interrupt() noexcept;
[[nodiscard]] bool interrupted() noexcept;

}  // namespace linnet::cli
