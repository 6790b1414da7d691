#include "check/tolerances/rules.h"

namespace linnet {

// Cosine and sine are at most 1 and good to an absolute error of a few roundings at any position: the angle
// is reduced with more digits than f32 has.
void tolerance_rule(const RopeAngles& op, Errors& errors) {
  errors.set(op.out, std::vector<double>(errors.shape(op.out).elements(), 4 * kUnit));
}

}  // namespace linnet
