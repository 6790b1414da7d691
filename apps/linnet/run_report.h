// What linnet run says about a generation besides its text.
#pragma once

#include <nlohmann/json.hpp>

#include "run_flags.h"

namespace linnet::cli {

// To stderr: the receipt, its summary or the speed, where the flags ask for them; and that the context is
// full.
void report(const RunFlags& flags, const v0::TextModel& model, const v0::Generated& generated);

[[nodiscard]] nlohmann::ordered_json to_json(const RunFlags& flags, const v0::Generated& generated,
                                             const v0::Receipt& receipt);

}  // namespace linnet::cli
