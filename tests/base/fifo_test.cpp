#include "base/fifo.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>

#include "base/philox.h"

namespace linnet {
namespace {

TEST(Fifo, GivesWhatStdDequeGives) {
  Fifo<std::unique_ptr<uint32_t>> fifo;
  std::deque<uint32_t> expected;
  for (uint32_t step = 0; step < 20'000; ++step) {
    const uint32_t bits = philox4x32({step, 0, 0, 0}, 1)[0];
    const bool grows = step % 2'000 < 1'000;  // to some hundreds, and back to none
    if (expected.empty() || bits % 8 < (grows ? 5u : 3u)) {
      fifo.push(std::make_unique<uint32_t>(bits));
      expected.push_back(bits);
    } else {
      ASSERT_EQ(*fifo.front(), expected.front());
      ASSERT_EQ(*fifo.pop(), expected.front());
      expected.pop_front();
    }
    ASSERT_EQ(fifo.size(), expected.size());
    ASSERT_EQ(fifo.empty(), expected.empty());
  }
}

// As many come as go: the oldest is always somewhere in the memory that there was at first.
TEST(Fifo, StaysInItsMemory) {
  Fifo<int> fifo;
  for (int i = 0; i < 5; ++i) fifo.push(i);
  const int* lowest = &fifo.front();
  for (int i = 5; i < 10'000; ++i) {
    fifo.push(i);
    ASSERT_EQ(fifo.pop(), i - 5);
    ASSERT_GE(&fifo.front(), lowest);
    ASSERT_LT(&fifo.front(), lowest + 64);
  }
}

}  // namespace
}  // namespace linnet
