// The pool gives the same memory again, and gives back what is not needed any more.
#include "sortlast/content/pixels/pool.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "execute/heap.hpp"

namespace sortlast {
namespace {

TEST(Pool, TakesMemoryBackWhereThereIsNoMore) {
  Pool pool;
  std::vector<Memory> all;
  for (std::size_t i = 1; i <= 100; ++i) all.push_back(pool.take(64 * i));
  {
    const testing::NoMemory nothing;
    all.clear();
  }
  EXPECT_EQ(pool.taken(), 0u);
  EXPECT_EQ(pool.idle(), std::size_t{64} * 5050);
}

TEST(Pool, GivesTheSameMemoryAgain) {
  Pool pool;
  for (const std::size_t bytes :
       {std::size_t{1}, std::size_t{64}, std::size_t{100'000}, std::size_t{5} << 20}) {
    Memory first = pool.take(bytes);
    const std::byte* const address = first.get();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(address) % 64, 0u);
    first.reset();
    EXPECT_EQ(pool.take(bytes).get(), address) << bytes;
  }
  EXPECT_EQ(pool.take(0), nullptr);
}

TEST(Pool, CountsWhatIsTaken) {
  Pool pool;
  const Memory kept = pool.take(1024);
  pool.begin_frame();
  EXPECT_EQ(pool.peak(), 1024u);
  pool.take(2048);
  EXPECT_EQ(pool.taken(), 1024u);
  EXPECT_EQ(pool.peak(), 3072u);
  pool.begin_frame();
  EXPECT_EQ(pool.peak(), 1024u);
}

TEST(Pool, FreesWhatNoFrameNeeds) {
  // 200 sizes that grow like a window being dragged: at most a few of them are held.
  Pool pool;
  std::size_t size = 1 << 20;
  for (int frame = 0; frame < 200; ++frame) {
    pool.begin_frame();
    pool.take(size);
    size += 1 << 14;
    EXPECT_LE(pool.idle(), 5 * size);
  }
}

TEST(Pool, MemoryMayOutliveIt) {
  Memory memory;
  {
    Pool pool;
    memory = pool.take(100);
  }
  memory.get()[99] = std::byte{1};
}

}  // namespace
}  // namespace sortlast
