// The functions that every template has: range, dict, namespace, cycler, joiner, raise_exception.
#pragma once

#include "text/jinja/dict.h"

namespace linnet::jinja {

[[nodiscard]] Dict make_globals();

}  // namespace linnet::jinja
