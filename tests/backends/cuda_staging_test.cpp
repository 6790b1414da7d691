// Places of reads that are on their way at the same time never meet; no GPU is needed.
#include "backends/cuda/staging.h"

#include <gtest/gtest.h>

#include "base/fifo.h"
#include "base/philox.h"

namespace linnet::cuda {
namespace {

constexpr size_t kRing = 4096;

struct Read {
  Staging::Place place;
  size_t bytes = 0;
  uint8_t mark = 0;
};

// Each read fills its place with a mark of its own, and finds it there when it is the oldest.
TEST(Staging, PlacesOfReadsOnTheirWayNeverMeet) {
  Staging staging(kRing);
  std::vector<uint8_t> ring(kRing);
  Fifo<Read> reads;
  size_t refused = 0;
  for (uint32_t step = 0; step < 50'000; ++step) {
    const auto bits = philox4x32({step, 0, 0, 0}, 2);
    // Long phases in which more comes than goes: what is refused must not move what follows.
    const bool take = bits[0] % 8 < (step / 500 % 2 == 0 ? 6u : 3u);
    if (take) {
      const size_t bytes = bits[1] % (bits[2] % 16 == 0 ? kRing + 1 : kRing / 8);
      const auto place = staging.take(bytes);
      if (!place) {
        ++refused;
        continue;
      }
      ASSERT_EQ(place->offset % 64, 0u);
      ASSERT_LE(place->offset + bytes, kRing);
      const auto mark = static_cast<uint8_t>(step);
      std::fill_n(ring.begin() + static_cast<std::ptrdiff_t>(place->offset), bytes, mark);
      reads.push({*place, bytes, mark});
    } else if (!reads.empty()) {
      const Read read = reads.pop();
      for (size_t i = 0; i < read.bytes; ++i) ASSERT_EQ(ring[read.place.offset + i], read.mark) << step;
      staging.give_back(read.place);
    }
  }
  EXPECT_GT(refused, 1000u);
}

TEST(Staging, AnEmptyRingHasRoomForAllItHolds) {
  Staging staging(kRing);
  const auto small = staging.take(1000);
  ASSERT_TRUE(small);
  EXPECT_FALSE(staging.take(kRing));
  staging.give_back(*small);
  EXPECT_TRUE(staging.take(kRing));
  EXPECT_FALSE(staging.take(1));
  EXPECT_FALSE(Staging(kRing).take(kRing + 1));
}

}  // namespace
}  // namespace linnet::cuda
