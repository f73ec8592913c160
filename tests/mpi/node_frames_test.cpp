// The frame of a node: the same memory for all its ranks, used again, and left alone while anybody holds it.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>
#include <utility>

#include "mpi/node_ranks.hpp"
#include "no_more_files.hpp"
#include "sortlast/execute/node/frames.hpp"

namespace sortlast {
namespace {

using testing::NodeOfRanks;
using testing::NoMoreFiles;
using testing::number;

int open_files() {
  return static_cast<int>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

// Segments that this process has mapped.
int mapped_segments() {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);)
    count += line.find("memfd:sortlast") != std::string::npos ? 1 : 0;
  return count;
}

class NodeFrames : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();

  void SetUp() override {
    if (p_ == 1) GTEST_SKIP() << "a rank without mates has no frame";
  }

  static bool meet(NodeOfRanks& node, std::size_t bytes) {
    Offer offer;
    offer.frame_bytes = bytes;
    return node->meet(offer, "test");
  }

  // Every rank writes its part of a frame; all see all parts.
  Memory make_frame(NodeOfRanks& node, std::int64_t frame, std::size_t bytes) const {
    EXPECT_TRUE(meet(node, bytes));
    Memory memory = node->frame();
    if (memory) {
      for (std::size_t i = static_cast<std::size_t>(rank_); i < bytes; i += static_cast<std::size_t>(p_))
        memory.get()[i] = value(frame, i);
    }
    node.finish();
    return memory;
  }
  static std::byte value(std::int64_t frame, std::size_t i) {
    return static_cast<std::byte>(number(0, frame, static_cast<std::int64_t>(i)));
  }
  static std::int64_t wrong_bytes(const Memory& memory, std::int64_t frame, std::size_t bytes) {
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < bytes; ++i) wrong += memory.get()[i] == value(frame, i) ? 0 : 1;
    return wrong;
  }
};

TEST(NodeOfOne, HasNoFrameAndMemoryOfItsOwn) {
  NodeOfRanks node(1);
  Offer offer;
  offer.frame_bytes = 100;
  EXPECT_TRUE(node->meet(offer, "test"));
  EXPECT_EQ(node->frame(), nullptr);
  node.finish();
  EXPECT_EQ(node->allocate(0), nullptr);
  const Memory memory = node->allocate(100);
  EXPECT_TRUE(std::all_of(memory.get(), memory.get() + 100, [](std::byte b) { return b == std::byte{0}; }));
}

TEST_F(NodeFrames, AreTheSameMemoryForAllRanks) {
  NodeOfRanks node;
  for (int frame = 0; frame < 5; ++frame) {
    const Memory memory = make_frame(node, frame, 5000);
    ASSERT_TRUE(meet(node, 0));  // until all have written
    EXPECT_EQ(wrong_bytes(memory, frame, 5000), 0);
  }
}

TEST_F(NodeFrames, NobodyHoldsAreUsedAgain) {
  NodeOfRanks node;
  const std::byte* const first = make_frame(node, 0, 100'000).get();
  const int files = open_files();
  for (int frame = 1; frame < 50; ++frame) {
    // A few bytes more or less fit the same memory.
    EXPECT_EQ(make_frame(node, frame, static_cast<std::size_t>(100'000 - 100 * frame)).get(), first);
  }
  EXPECT_EQ(open_files(), files);
}

TEST_F(NodeFrames, StayAsTheyAreWhileAnyRankHoldsThem) {
  struct Kept {
    Memory memory;
    std::int64_t frame;
    std::size_t bytes;
  };
  NodeOfRanks node;
  std::mt19937 all_agree(5);                          // sizes
  std::mt19937 random(static_cast<unsigned>(rank_));  // how long this rank keeps a frame
  std::deque<Kept> kept;
  std::int64_t wrong = 0;
  int without = 0;
  for (std::int64_t frame = 0; frame < 100; ++frame) {
    const std::size_t bytes = std::size_t{1} << (all_agree() % 17);
    Memory memory = make_frame(node, frame, bytes);
    int mine = memory ? 1 : 0;
    int all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_TRUE(all == 0 || all == p_) << all << " ranks have a frame";
    without += all == 0 ? 1 : 0;
    if (memory && random() % 2 == 0) kept.push_back({std::move(memory), frame, bytes});
    for (const Kept& one : kept) wrong += wrong_bytes(one.memory, one.frame, one.bytes);
    while (kept.size() > random() % 5) kept.pop_front();
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_LT(without, 100);
}

TEST_F(NodeFrames, RunOutWhereAllAreHeldAndComeBack) {
  NodeOfRanks node;
  std::vector<Memory> kept;
  for (int frame = 0; frame < FrameSlots::count; ++frame) {
    Memory memory = make_frame(node, frame, 1000);
    ASSERT_NE(memory, nullptr);
    if (rank_ == frame % p_) kept.push_back(std::move(memory));  // one holder is enough
  }
  for (int frame = 0; frame < 3; ++frame) EXPECT_EQ(make_frame(node, frame, 1000), nullptr);
  kept.clear();
  ASSERT_TRUE(meet(node, 0));
  EXPECT_NE(make_frame(node, 0, 1000), nullptr);
}

TEST_F(NodeFrames, OfEverChangingSizesLeaveNothingBehind) {
  const int segments = mapped_segments();
  const int files = open_files();
  Memory last;
  {
    NodeOfRanks node;
    constexpr int held = 2;  // one here, and one that is being made
    constexpr int idle = 4;  // kept for a few frames more
    for (int frame = 0; frame < 60; ++frame) {
      last = make_frame(node, frame, std::size_t{10'000} * static_cast<std::size_t>(frame + 1 + frame % 2));
      EXPECT_LE(mapped_segments(), segments + 1 + held + idle);
    }
    for (int frame = 0; frame < 10; ++frame) last = make_frame(node, frame, 100);
    EXPECT_LE(mapped_segments(), segments + 1 + 2);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  last.reset();
  EXPECT_EQ(mapped_segments(), segments);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_LE(open_files(), files);
}

TEST_F(NodeFrames, OutliveTheNode) {
  Memory memory;
  {
    NodeOfRanks node;
    memory = make_frame(node, 3, 10'000);
    ASSERT_TRUE(meet(node, 0));
    ASSERT_NE(memory, nullptr);
    const Memory image = node->allocate(100);
    node.destroy_node();
    image.get()[99] = std::byte{1};
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(wrong_bytes(memory, 3, 10'000), 0);
  std::thread([&memory] { memory.reset(); }).join();
}

TEST_F(NodeFrames, AreNobodysWhereOneRankCannotMapThem) {
  NodeOfRanks node;
  for (int round = 0; round < 3; ++round) {
    // Whether it is the one that would make the segment or one that would map it.
    const bool refused = rank_ == round % p_;
    {
      const auto no_more = refused ? std::make_unique<NoMoreFiles>() : nullptr;
      EXPECT_EQ(make_frame(node, round, static_cast<std::size_t>(1000 << (4 * round))), nullptr);
    }
    ASSERT_TRUE(meet(node, 0));
    EXPECT_NE(make_frame(node, round, static_cast<std::size_t>(1000 << (4 * round))), nullptr);
  }
}

TEST_F(NodeFrames, ImagesThatAreGivenBackAreUnmappedByAll) {
  NodeOfRanks node;
  const int before = mapped_segments();
  for (int round = 0; round < 20; ++round) {
    const Memory image = node->allocate(100'000);
    const Offer offer = offer_of({{image.get(), nullptr}, {100, 1}, {}, {}});
    ASSERT_TRUE(node->meet(offer, "test"));
    for (const int mate : node.mates()) EXPECT_TRUE(node.image(mate).in_place());
    EXPECT_LE(mapped_segments(), before + p_);
    ASSERT_TRUE(meet(node, 0));
  }
  ASSERT_TRUE(meet(node, 0));
  EXPECT_EQ(mapped_segments(), before);
}

TEST_F(NodeFrames, ImagesThatCannotBeMappedArePulled) {
  NodeOfRanks node;
  const Memory image = node->allocate(1000);
  std::fill_n(image.get(), 1000, static_cast<std::byte>(rank_ + 1));
  Offer offer = offer_of({{image.get(), nullptr}, {10, 1}, {}, {}});
  for (const bool refused : {true, false}) {
    offer.frame_bytes = 0;
    ASSERT_TRUE(node->meet(offer, "test"));
    const auto no_more = refused ? std::make_unique<NoMoreFiles>() : nullptr;
    for (const int mate : node.mates()) {
      NodeImage seen = node.image(mate);
      EXPECT_EQ(seen.in_place(), !refused);
      std::byte read[16];
      seen.pull(9, std::array{ActiveRun{0, 1, 0}}, {read, nullptr});
      EXPECT_EQ(read[15], static_cast<std::byte>(mate + 1));
    }
  }
  ASSERT_TRUE(meet(node, 0));
}

TEST_F(NodeFrames, RanksThatCannotShareMemoryAreNotPutTogether) {
  // The rank that would make the segment, and one that would map it.
  for (const int refused : {0, p_ - 1}) {
    for (const int ranks : {0, 2}) {
      std::unique_ptr<NodeOfRanks> node;
      {
        const auto no_more = rank_ == refused ? std::make_unique<NoMoreFiles>() : nullptr;
        node = std::make_unique<NodeOfRanks>(ranks);
      }
      const int per_node = ranks == 0 ? p_ : ranks;
      const int expected =
          refused / per_node == rank_ / per_node ? 1 : std::min(per_node, p_ - rank_ / per_node * per_node);
      EXPECT_EQ((*node)->size(), expected);
      EXPECT_TRUE(meet(*node, 100));
      EXPECT_EQ((*node)->frame() == nullptr, expected == 1);
      node->finish();
    }
  }
}

}  // namespace
}  // namespace sortlast
