// The protocol of a node between threads of one process: several nodes over one control segment, without MPI.
//
// All nodes share one mapping of that segment, so that ThreadSanitizer sees their atomics as the same
// objects: plain data that the protocol guards is raced for unless the protocol orders it. `./run sanitize`
// runs it so.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/execute/node/control.hpp"
#include "sortlast/execute/node/node_image.hpp"

namespace sortlast {
namespace {

// Ends a wait after some seconds without progress.
class Limit final : public Watch {
 public:
  explicit Limit(double seconds) : seconds_(seconds) {}
  void check(double seconds_without_progress, const std::function<std::string()>& waits_for) const override {
    if (seconds_without_progress > seconds_) throw TimeoutError("waits for " + waits_for());
  }

 private:
  double seconds_;
};

class NodeThreads : public ::testing::TestWithParam<int> {
 protected:
  int p_ = GetParam();
  Segment control_{Control::bytes(static_cast<std::size_t>(p_))};

  void SetUp() override { Control::make(control_, static_cast<std::size_t>(p_)); }

  Node make(int rank, bool remote_reads, double limit = 60) const {
    Neighbours neighbours;
    neighbours.rank = rank;
    neighbours.nodes.assign(static_cast<std::size_t>(p_), 0);
    neighbours.members.resize(static_cast<std::size_t>(p_));
    std::iota(neighbours.members.begin(), neighbours.members.end(), 0);
    neighbours.control = control_;
    neighbours.remote_reads = remote_reads;
    Control::in(control_).slot(static_cast<std::size_t>(rank)).process = getpid();
    return {std::move(neighbours), std::make_unique<Limit>(limit)};
  }

  // Run a rank in each of p threads.
  void run(const std::function<void(int rank)>& rank) const {
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(p_));
    for (int r = 0; r < p_; ++r) threads.emplace_back(rank, r);
    for (std::thread& thread : threads) thread.join();
  }

  void finish(Node& node, int rank) const {
    for (int mate = 0; mate < p_; ++mate)
      if (mate != rank) node.release(mate);
    node.wait_until_read("test");
  }
};

constexpr std::int64_t width = 64;
constexpr Format rgba8{Scalar::uint8, 4, false};

std::byte value(int rank, int round) { return static_cast<std::byte>(rank * 31 + round); }

// An offer without spans.
Offer nothing(std::uint64_t hash, std::size_t frame_bytes = 0) {
  Offer offer;
  offer.hash = hash;
  offer.frame_bytes = frame_bytes;
  return offer;
}

// Bytes of a mate's image that are not those of the round.
int wrong_bytes(Node& node, int mate, int round) {
  NodeImage image(node, mate);
  std::array<std::byte, 4 * width> read{};
  if (image.in_place()) {
    std::memcpy(read.data(), image.view().pixels.colour, read.size());
  } else {
    image.pull(0, std::array{ActiveRun{0, width, 0}}, {read.data(), nullptr});
  }
  return static_cast<int>(
      std::count_if(read.begin(), read.end(), [&](std::byte byte) { return byte != value(mate, round); }));
}

TEST_P(NodeThreads, EveryImageIsReadBetweenItsMeetingAndItsRelease) {
  constexpr int rounds = 200;
  std::atomic<int> wrong = 0;
  std::vector<int> plain(static_cast<std::size_t>(p_), -1);  // guarded by the protocol alone
  for (const bool remote_reads : {true, false}) {
    run([&](int rank) {
      Node node = make(rank, remote_reads);
      std::vector<std::byte> own(4 * width);
      const Memory allocated = node.allocate(4 * width);
      for (int round = 0; round < rounds; ++round) {
        std::byte* const pixels = round % 3 == 0 ? own.data() : allocated.get();
        std::memset(pixels, static_cast<int>(value(rank, round)), 4 * width);
        plain[static_cast<std::size_t>(rank)] = round;
        const ImageView image{{pixels, nullptr}, {width, 1}, rgba8, {}};
        Offer offer = offer_of(image);
        offer.hash = 7;
        offer.frame_bytes = 1000;
        if (!node.meet(offer, "test")) ++wrong;
        for (int mate = 0; mate < p_; ++mate) {
          wrong += plain[static_cast<std::size_t>(mate)] == round ? 0 : 1;
          if (mate != rank) wrong += wrong_bytes(node, mate, round);
        }
        finish(node, rank);
      }
    });
  }
  EXPECT_EQ(wrong, 0);
}

TEST_P(NodeThreads, FramesAreLeftAloneWhileAnyThreadHoldsThem) {
  constexpr int rounds = 200;
  constexpr int held = 3;
  const auto bytes = static_cast<std::size_t>(p_) * 100;
  std::atomic<int> wrong = 0;
  run([&](int rank) {
    Node node = make(rank, true);
    std::vector<std::pair<Memory, int>> kept;
    for (int round = 0; round < rounds; ++round) {
      if (!node.meet(nothing(1, bytes), "test")) ++wrong;
      Memory frame = node.frame();
      if (!frame) {
        ++wrong;
      } else {
        std::memset(frame.get() + std::ptrdiff_t{100} * rank, static_cast<int>(value(rank, round)), 100);
      }
      finish(node, rank);
      if (!node.meet(nothing(2), "test")) ++wrong;
      kept.emplace_back(std::move(frame), round);
      for (const auto& [memory, written] : kept)
        for (std::size_t i = 0; i < bytes; ++i)
          wrong += memory.get()[i] == value(static_cast<int>(i / 100), written) ? 0 : 1;
      // Some go in a thread of their own.
      if (static_cast<int>(kept.size()) > (rank + round) % held) {
        std::thread([gone = std::move(kept.front().first)]() mutable { gone.reset(); }).join();
        kept.erase(kept.begin());
      }
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(NodeThreads, AllHearOfADisagreement) {
  std::atomic<int> wrong = 0;
  run([&](int rank) {
    Node node = make(rank, true);
    for (int round = 0; round < 50; ++round) {
      const bool differs = rank == round % p_;
      wrong += node.meet(nothing(differs ? 1 : 2, 100), "test") ? 1 : 0;
      wrong += node.frame() == nullptr ? 0 : 1;
      wrong += node.meet(nothing(3), "test") ? 0 : 1;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(NodeThreads, WhoWaitsInVainAndWhoComesLateAreTold) {
  std::atomic<int> waited = 0;
  std::atomic<int> late = 0;
  run([&](int rank) {
    Node node = make(rank, true, 0.2);
    while (rank == p_ - 1 && waited < p_ - 1) std::this_thread::yield();
    try {
      node.meet({}, "test");
    } catch (const TimeoutError& error) {
      const std::string text = error.what();
      waited += text.find("waits for all ranks to call test") != std::string::npos ? 1 : 0;
      late += text.find("late") != std::string::npos ? 1 : 0;
    }
  });
  EXPECT_EQ(waited, p_ - 1);
  EXPECT_EQ(late, 1);
}

INSTANTIATE_TEST_SUITE_P(Ranks, NodeThreads, ::testing::Values(2, 3, 5));

}  // namespace
}  // namespace sortlast
