// A decoder layer on every device that `auto` may choose: each op of the device's own lowered program within
// its tolerance, and the recorded program near the reference.
#include <gtest/gtest.h>

#include "backends/compiled_in.h"
#include "backends/reference/backend.h"
#include "check/bisect.h"
#include "check/forced.h"
#include "check/layer.h"

namespace linnet {
namespace {

std::vector<std::unique_ptr<Device>> devices() {
  std::vector<std::unique_ptr<Device>> all;
  for (const Backend& backend : compiled_in_backends()) {
    if (backend.compiled_in && backend.automatic && backend.unavailable().empty())
      all.push_back(backend.open({}));
  }
  return all;
}

TEST(DecoderLayer, HoldsEveryOpOfTheLoweredProgramToItsTolerance) {
  const Layer layer;
  const auto reference = reference_backend().open({});
  for (const auto& device : devices()) {
    // As the device would have it, too: what it rounds on the way is not its error.
    const CompileOptions own{.activations = device->info().compute, .kv = device->info().kv};
    for (const CompileOptions& options : {CompileOptions{}, CompileOptions{.fuse = false}, own}) {
      const ForcedReport report = compare_forced(*device, *reference, layer.what.program, options,
                                                 CaseInputs(layer.what), layer.what.extents);
      EXPECT_GE(report.ops.size(), 5u);
      for (const ForcedOp& op : report.ops) {
        EXPECT_LE(op.worst.ratio, 1) << op.index << ' ' << op.op << ": " << op.worst;
        EXPECT_EQ(op.note, "") << op.index << ' ' << op.op;
      }
    }
  }
}

// Two stages quantize their input to 8 bits where the device likes that: steps of 1 / 127 of the largest of
// 32 give about 0.6 % of noise to normal numbers, and attention over peaked scores doubles it. Each op by
// itself is held to far less above.
constexpr double kStatedError = 0.03;

TEST(DecoderLayer, IsNearTheReferenceAsRecorded) {
  const Layer layer;
  const auto reference = reference_backend().open({});
  for (const auto& device : devices()) {
    const BisectReport report = bisect(layer.what.program, {*device, {}}, {*reference, {}},
                                       CaseInputs(layer.what), layer.what.extents, kStatedError);
    EXPECT_EQ(report.values.size(), 7u);
    for (const ValueDifference& value : report.values)
      EXPECT_LE(value.relative, kStatedError) << value.op << ' ' << value.value;
  }
}

}  // namespace
}  // namespace linnet
