#include "check/tolerances/rules.h"

namespace linnet {

// Tokens are equal or wrong.
void tolerance_rule(const Sample&, Errors&) {}

}  // namespace linnet
