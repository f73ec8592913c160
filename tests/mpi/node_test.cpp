// Nodes: which ranks they hold, and that every rank sees the images of its mates, wherever they lie.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <random>
#include <thread>

#include "mpi/calls.hpp"
#include "mpi/node_ranks.hpp"
#include "mpi/reads.hpp"
#include "sortlast/cores.hpp"
#include "sortlast/error.hpp"

namespace sortlast {
namespace {

using testing::NodeOfRanks;
using testing::OwnImage;
using testing::paint;
using testing::Reads;
using testing::With;
using testing::wrong_pixels;

// Where an image lies.
enum class Memory_ { own, allocated, part_of_allocated, depth_apart, depth_own, none };
constexpr Memory_ kinds[] = {Memory_::own,         Memory_::allocated, Memory_::part_of_allocated,
                             Memory_::depth_apart, Memory_::depth_own, Memory_::none};

class NodeImages : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();

  struct Held {
    Pixels pixels;
    std::optional<OwnImage> own;
    Memory colour;
    Memory depth;
  };

  static PixelBuffer allocate(NodeOfRanks& node, const Format& format, std::int64_t count) {
    return {node->allocate(PixelBuffer::bytes(format, count)), format, count};
  }

  static Held make(NodeOfRanks& node, Memory_ kind, const Format& format, std::int64_t count) {
    Held held;
    const auto pixels = static_cast<std::size_t>(count);
    if (kind == Memory_::own || kind == Memory_::depth_own) {
      held.own.emplace(format, count);
      held.pixels = held.own->view();
    }
    if (kind == Memory_::allocated) {
      const PixelBuffer stretch = allocate(node, format, count);
      held.colour = stretch.memory();
      held.pixels = stretch.view();
    }
    if (kind == Memory_::part_of_allocated) {
      const PixelBuffer stretch = allocate(node, format, count + 100);
      held.colour = stretch.memory();
      held.pixels = advance(stretch.view(), format, 100);
    }
    if (kind == Memory_::depth_apart || kind == Memory_::depth_own) {
      held.colour = node->allocate(pixels * format.colour_bytes());
      held.pixels.colour = held.colour.get();
    }
    if (kind == Memory_::depth_apart) {
      held.depth = node->allocate(pixels * sizeof(float));
      held.pixels.depth = format.depth ? reinterpret_cast<float*>(held.depth.get()) : nullptr;
    }
    return held;
  }

  // Read all of a mate's image: in parts of odd sizes where it has to be pulled, and those in more runs than
  // one call of the kernel takes.
  static std::int64_t wrong_in(int mate, NodeImage& image, const Format& format, std::int64_t count,
                               std::int64_t frame) {
    if (image.in_place()) return wrong_pixels(image.view().pixels, format, 0, count, mate, frame);
    std::int64_t wrong = 0;
    constexpr std::int64_t part = 777;
    constexpr std::int64_t run = 5;
    OwnImage read(format, part);
    for (std::int64_t begin = 0; begin < count; begin += part) {
      const std::int64_t end = std::min(begin + part, count);
      std::vector<ActiveRun> runs;
      for (std::int64_t at = 0; at < end - begin; at += run) {
        const auto first = static_cast<std::uint32_t>(at);
        runs.push_back({first, static_cast<std::uint32_t>(std::min(run, end - begin - at)), first});
      }
      image.pull(begin, runs, read.view());
      wrong += wrong_pixels(read.view(), format, begin, end, mate, frame);
    }
    return wrong;
  }

  // Every rank offers another kind of memory in each frame, and overwrites it as soon as the frame is over.
  void expect_all_seen(NodeOfRanks& node, const Format& format, bool pulls) {
    constexpr std::int64_t count = 5000;
    constexpr int kinds_count = static_cast<int>(std::size(kinds));
    const auto kind_of = [&](int rank, int frame) { return kinds[(rank + frame) % kinds_count]; };
    std::vector<Held> images;
    for (const Memory_ kind : kinds) images.push_back(make(node, kind, format, count));

    for (int frame = 0; frame < 2 * kinds_count; ++frame) {
      const Held& mine = images[static_cast<std::size_t>((rank_ + frame) % kinds_count)];
      if (mine.pixels.colour != nullptr) paint(mine.pixels, format, 0, count, rank_, frame);
      Offer offer = offer_of({mine.pixels, {count, 1}, format, {}});
      offer.hash = static_cast<std::uint64_t>(frame);
      offer.frame_bytes = 1;
      ASSERT_TRUE(node->meet(offer, "test"));
      if (!node->alone()) {
        EXPECT_EQ(node.image(rank_).view().pixels.colour, mine.pixels.colour);
      }
      for (const int mate : node.mates()) {
        SCOPED_TRACE("frame " + std::to_string(frame) + ", image of rank " + std::to_string(mate));
        const Memory_ kind = kind_of(mate, frame);
        NodeImage image = node.image(mate);
        ASSERT_EQ(image.view().is_none(), kind == Memory_::none);
        if (image.view().is_none()) continue;
        const bool in_process = kind == Memory_::own || (kind == Memory_::depth_own && format.depth);
        EXPECT_EQ(image.in_place(), !(in_process && pulls));
        EXPECT_EQ(wrong_in(mate, image, format, count, frame), 0);
      }
      node.finish();
      if (mine.pixels.colour != nullptr) paint(mine.pixels, format, 0, count, rank_, -1);
    }
  }

  static constexpr Format rgba8{Scalar::uint8, 4, false};
  static constexpr Format rgba32_depth{Scalar::float32, 4, true};
};

TEST_F(NodeImages, HoldTheRanksOfTheMachine) {
  for (const int ranks : {0, 1, 2, 3, 100}) {
    SCOPED_TRACE(ranks);
    NodeOfRanks node(ranks);
    const int per_node = ranks == 0 ? p_ : ranks;
    int size = 0;
    for (int rank = 0; rank < p_; ++rank) {
      const bool together = rank / per_node == rank_ / per_node;
      size += together ? 1 : 0;
      EXPECT_EQ(node->nodes()[static_cast<std::size_t>(rank)], rank / per_node);
      EXPECT_EQ(node->mate(rank), together && rank != rank_);
    }
    EXPECT_EQ(node->size(), size);
    EXPECT_EQ(node->alone(), size == 1);
    EXPECT_EQ(node->everybody(), size == p_);
  }
}

TEST_F(NodeImages, AreSeenByAllMates) {
  for (const int ranks : {0, 2, 3}) {
    NodeOfRanks node(ranks);
    expect_all_seen(node, rgba8, true);
    expect_all_seen(node, rgba32_depth, true);
  }
}

TEST_F(NodeImages, AreSeenWhereTheKernelReadsOnlyPartOfWhatWasAsked) {
  const With with(Reads::short_ones);
  NodeOfRanks node;
  expect_all_seen(node, rgba32_depth, true);
}

TEST_F(NodeImages, AreCopiedWhereTheKernelForbidsToReadThem) {
  // One rank that may not read is enough for all of its node to copy.
  const int forbidden = p_ - 1;
  if (rank_ == forbidden) testing::set_reads(Reads::forbidden);
  for (const int ranks : {0, 2, 3}) {
    NodeOfRanks node(ranks);
    const bool pulls = ranks == 0 ? false : rank_ / ranks != forbidden / ranks;
    expect_all_seen(node, rgba8, pulls);
    expect_all_seen(node, rgba32_depth, pulls);
  }
  testing::set_reads(Reads::as_they_are);
}

TEST_F(NodeImages, BoxesAreSeenAndWhatTheyHold) {
  constexpr std::int64_t width = 60;
  constexpr std::int64_t height = 40;
  for (const Reads which : {Reads::as_they_are, Reads::forbidden}) {
    const With with(which);
    NodeOfRanks node;
    OwnImage image(rgba32_depth, width * height);
    for (int frame = 0; frame < 10; ++frame) {
      const auto box_of = [&](int rank) {
        const std::int64_t top = (rank * 7 + frame) % height;
        return Rectangle{frame, top, width - rank, std::min(height, top + frame)};
      };
      paint(image.view(), rgba32_depth, 0, width * height, rank_, frame);
      ImageView offered{image.view(), {width, height}, rgba32_depth, {}};
      if (frame % 2 == 0) offered.bounds = box_of(rank_);
      Offer offer = offer_of(offered);
      offer.frame_bytes = 1;
      ASSERT_TRUE(node->meet(offer, "test"));
      for (const int mate : node.mates()) {
        NodeImage seen = node.image(mate);
        const Rectangle box = frame % 2 == 0 ? box_of(mate) : Rectangle{0, 0, width, height};
        ASSERT_EQ(seen.view().bounds.has_value(), frame % 2 == 0);
        EXPECT_EQ(seen.view().bounds.value_or(box), box);
        const std::int64_t begin = box.y0 * width;
        const std::int64_t end = box.y1 * width;
        if (seen.in_place()) {
          const ConstPixels pixels = advance(seen.view().pixels, rgba32_depth, begin);
          EXPECT_EQ(wrong_pixels(pixels, rgba32_depth, begin, end, mate, frame), 0);
          continue;
        }

        // Pull the box alone, row behind row.
        std::vector<ActiveRun> rows;
        std::uint32_t stored = 0;
        for (std::int64_t y = begin / width; y < end / width; ++y) {
          rows.push_back({static_cast<std::uint32_t>(y * width + box.x0 - begin),
                          static_cast<std::uint32_t>(box.x1 - box.x0), stored});
          stored += rows.back().count;
        }
        OwnImage read(rgba32_depth, stored);
        seen.pull(begin, rows, read.view());
        for (const ActiveRun& row : rows) {
          const ConstPixels pixels = advance(ConstPixels(read.view()), rgba32_depth, row.at);
          const std::int64_t first = begin + row.begin;
          EXPECT_EQ(wrong_pixels(pixels, rgba32_depth, first, first + row.count, mate, frame), 0);
        }
      }
      node.finish();
    }
  }
}

TEST_F(NodeImages, AreNotShownWhereArgumentsDiffer) {
  NodeOfRanks node;
  const bool differ = p_ > 1;
  for (int round = 0; round < 5; ++round) {
    Offer offer;
    offer.hash = rank_ == round % p_ ? 1 : 2;
    offer.frame_bytes = 100;
    EXPECT_EQ(node->meet(offer, "test"), !differ);
    EXPECT_EQ(node->frame(), nullptr);
    offer.hash = 3;
    offer.frame_bytes = rank_ == round % p_ ? 100 : 200;
    EXPECT_EQ(node->meet(offer, "test"), !differ);
    EXPECT_EQ(node->frame(), nullptr);

    // A meeting without a frame asks for no releases.
    offer.frame_bytes = 0;
    EXPECT_TRUE(node->meet(offer, "test"));
    offer.frame_bytes = 100;
    EXPECT_TRUE(node->meet(offer, "test"));
    node.finish();
  }
}

TEST_F(NodeImages, OfAThousandMeetingsNoneIsMixedUp) {
  NodeOfRanks node;
  std::mt19937 random(static_cast<unsigned>(rank_));
  std::int64_t wrong = 0;
  const PixelBuffer image = allocate(node, rgba8, 10);
  const std::vector<int> mates = node.mates();
  for (int round = 0; round < 1000; ++round) {
    const bool frame = round % 3 != 0;
    if (random() % 16 == 0) testing::sleep(1e-6 * static_cast<double>(random() % 300));
    paint(image.view(), rgba8, 0, 10, rank_, round);
    Offer offer = offer_of({image.view(), {10, 1}, rgba8, {}});
    offer.frame_bytes = frame ? 1000 : 0;
    wrong += node->meet(offer, "test") ? 0 : 1;
    if (!frame) continue;
    for (const int mate : mates) {
      if (random() % 64 == 0) testing::sleep(1e-6 * static_cast<double>(random() % 300));
      wrong += wrong_pixels(node.image(mate).view().pixels, rgba8, 0, 10, mate, round);
      node->release(mate);
    }
    node->wait_until_read("test");
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(NodeImages, BothPlanesThatMatesReadGoToHugePages) {
  NodeOfRanks node;
  if (node->alone() || !node->neighbours().remote_reads) GTEST_SKIP() << "no other rank reads memory here";
  constexpr std::int64_t count = 1 << 20;  // 4 MiB of depths
  OwnImage image(rgba32_depth, count);
  const std::int64_t before = testing::calls_so_far().huge_planes;
  for (int frame = 0; frame < 3; ++frame) {
    Offer offer = offer_of({image.view(), {count, 1}, rgba32_depth, {}});
    offer.frame_bytes = 1;
    ASSERT_TRUE(node->meet(offer, "test"));
    node.finish();
  }
  EXPECT_EQ(testing::calls_so_far().huge_planes - before, 2);
}

TEST(NodeBuilds, ThatDifferAreTheSameErrorOnEveryRank) {
  const int p = testing::world_size();
  if (p == 1) GTEST_SKIP() << "one rank shares memory with nobody";
  const bool other = testing::world_rank() == p - 1;
  const Communicator comm = testing::duplicate_world();
  const Alarm alarm(comm, 60, {});
  const std::string text = testing::error_of<MismatchError>(
      [&] { find_neighbours(comm, alarm, 0, control_layout() + (other ? 1 : 0)); });
  testing::expect_contains(text, "another build of sortlast");
  testing::expect_contains(text, "on rank " + std::to_string(p - 1) + ";");
  testing::expect_same_on_all_ranks(text);
  EXPECT_EQ(find_neighbours(comm, alarm, 0).members.size(), static_cast<std::size_t>(p));
}

TEST_F(NodeImages, TwoNodesInTwoThreadsDoNotMeet) {
  int provided = 0;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "this MPI has no MPI_THREAD_MULTIPLE";
  NodeOfRanks first;
  NodeOfRanks second(2);
  std::thread thread([&] { expect_all_seen(second, rgba8, true); });
  expect_all_seen(first, rgba32_depth, true);
  thread.join();
}

// All ranks bound to one core, then to those that they had.
TEST(NodeCores, AreCrowdedIfRanksThatShareThemAreMore) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  std::size_t first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  NodeOfRanks together;
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  NodeOfRanks as_before;

  const int p = testing::world_size();
  EXPECT_EQ(together->cores(), 1);
  EXPECT_EQ(together->crowded(), p > 1);
  EXPECT_EQ(as_before->cores(), std::max(usable_cores() / p, 1));
  EXPECT_EQ(as_before->crowded(), p > usable_cores());
}

}  // namespace
}  // namespace sortlast
