// `self`: the blocks of a template as functions.
#pragma once

#include "text/jinja/frame.h"

namespace linnet::jinja {

// context: what the variables of the blocks are looked up in.
[[nodiscard]] Value make_self(Rendering& rendering, std::shared_ptr<Scope> context);

}  // namespace linnet::jinja
