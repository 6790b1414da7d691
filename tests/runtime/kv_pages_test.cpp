#include "runtime/kv_pages.h"

#include <gtest/gtest.h>

#include <set>

namespace linnet {
namespace {

TEST(KvPages, RoundsTokensUpToPages) {
  EXPECT_EQ(KvPages::pages_for(0), 0u);
  EXPECT_EQ(KvPages::pages_for(1), 1u);
  EXPECT_EQ(KvPages::pages_for(64), 1u);
  EXPECT_EQ(KvPages::pages_for(65), 2u);
  EXPECT_EQ(KvPages::pages_for(UINT32_MAX), 1u << 26);
}

TEST(KvPages, NeverGivesOutPageZeroNorOnePageTwice) {
  KvPages pages(9, 2, 4);
  ASSERT_TRUE(pages.reserve(0, 4 * kPageTokens));
  ASSERT_TRUE(pages.reserve(1, 4 * kPageTokens));
  std::set<uint32_t> seen;
  for (const uint32_t slot : {0u, 1u}) {
    for (const uint32_t page : pages.pages_of(slot)) {
      EXPECT_NE(page, 0u);
      EXPECT_LT(page, 9u);
      EXPECT_TRUE(seen.insert(page).second) << "page " << page << " has two owners";
    }
  }
  EXPECT_EQ(pages.free_pages(), 0u);
}

TEST(KvPages, GrowsWithoutMovingWhatIsHeld) {
  KvPages pages(9, 2, 8);
  ASSERT_TRUE(pages.reserve(0, 10));
  ASSERT_TRUE(pages.reserve(1, 10));
  const uint32_t first = pages.pages_of(0)[0];
  ASSERT_TRUE(pages.reserve(0, 200));
  ASSERT_EQ(pages.pages_of(0).size(), 4u);
  EXPECT_EQ(pages.pages_of(0)[0], first);
  EXPECT_TRUE(pages.reserve(0, 5)) << "less than it holds";
  EXPECT_EQ(pages.pages_of(0).size(), 4u);
}

TEST(KvPages, RefusesAndChangesNothingWhenPagesRunOut) {
  KvPages pages(4, 2, 3);
  ASSERT_TRUE(pages.reserve(0, 2 * kPageTokens));
  EXPECT_FALSE(pages.reserve(1, 2 * kPageTokens));
  EXPECT_TRUE(pages.pages_of(1).empty());
  EXPECT_EQ(pages.free_pages(), 1u);
  EXPECT_FALSE(pages.reserve(0, 4 * kPageTokens)) << "more than a slot may hold";
  EXPECT_EQ(pages.pages_of(0).size(), 2u);
}

TEST(KvPages, GivesReleasedPagesToOthers) {
  KvPages pages(4, 2, 3);
  ASSERT_TRUE(pages.reserve(0, 3 * kPageTokens));
  pages.release(0);
  EXPECT_TRUE(pages.pages_of(0).empty());
  EXPECT_EQ(pages.free_pages(), 3u);
  EXPECT_TRUE(pages.reserve(1, 3 * kPageTokens));
}

}  // namespace
}  // namespace linnet
