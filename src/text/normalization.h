// Unicode normalization forms (UAX 15). The cost is n log n in the text, also for one that is nothing but
// combining marks, where the textbook ordering of them is quadratic.
#pragma once

#include <string>
#include <string_view>

namespace linnet {

enum class NormalForm : unsigned char { nfc, nfd, nfkc, nfkd };

// Bytes that are no UTF-8 stay as they are and nothing combines across them.
[[nodiscard]] std::string normalize(std::string_view text, NormalForm form);

}  // namespace linnet
