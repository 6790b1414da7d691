// What the program writes: results to stdout, everything else to stderr.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace linnet::cli {

// Thrown when nobody reads stdout any more (`linnet … | head`): the program ends quietly.
struct ReaderGone {};

// Writes all of it to stdout at once, unbuffered. Throws ReaderGone, or Error(failure) if the disk is full or
// the like.
void print(std::string_view text);
// To stderr; failures do not matter.
void print_error(std::string_view text) noexcept;

[[nodiscard]] bool stdin_is_terminal() noexcept;
[[nodiscard]] bool stderr_is_terminal() noexcept;
// All of stdin. Throws Error(failure) if it cannot be read.
[[nodiscard]] std::string read_stdin();

// Makes sure that descriptors 0 to 2 are open, so that no file gets one of them.
void open_standard_streams() noexcept;

// Rows of cells as aligned columns; the first row is the heading. Letter i of `right` is r if column i is
// aligned to the right.
[[nodiscard]] std::string table(const std::vector<std::vector<std::string>>& rows,
                                std::string_view right = {});

// A number with that many digits after the point.
[[nodiscard]] std::string fixed(double value, int digits);
// A number in short scientific form: "1.3e-05".
[[nodiscard]] std::string scientific(double value);

}  // namespace linnet::cli
