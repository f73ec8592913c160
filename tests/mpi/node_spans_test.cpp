// Spans of memory that the ranks of a node publish: any number of any size, with a header of any length, read
// where they lie, through the kernel, or from a copy.
#include "sortlast/execute/node/node_spans.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "mpi/node_ranks.hpp"
#include "mpi/reads.hpp"

namespace sortlast {
namespace {

using testing::NodeOfRanks;
using testing::Reads;
using testing::With;

// Byte `at` of a span of a rank.
std::byte value(int rank, int frame, std::size_t span, std::size_t at) {
  return static_cast<std::byte>(31 * rank + 7 * frame + 13 * static_cast<int>(span) + static_cast<int>(at));
}

std::size_t count_of(int rank, int frame) { return static_cast<std::size_t>(7 * rank + 5 * frame) % 23; }
std::size_t bytes_of(int frame, std::size_t span) {
  return span % 4 == 3 ? 0 : 100 * span + static_cast<std::size_t>(frame);
}
std::vector<std::byte> header_of(int rank, int frame) {
  return std::vector<std::byte>(static_cast<std::size_t>(100 * (frame % 7) + rank),
                                static_cast<std::byte>(frame + rank));
}

// A rank's spans of one frame, every second one in memory of its own.
class Spans {
 public:
  Spans(NodeOfRanks& node, int rank, int frame) {
    for (std::size_t span = 0; span < count_of(rank, frame); ++span) {
      const std::size_t bytes = bytes_of(frame, span);
      std::byte* data = nullptr;
      if (span % 2 == 0) {
        data = shared_.emplace_back(node->allocate(bytes)).get();
      } else {
        data = own_.emplace_back(bytes).data();
      }
      for (std::size_t at = 0; at < bytes; ++at) data[at] = value(rank, frame, span, at);
      spans.push_back({data, bytes});
    }
  }

  std::vector<Span> spans;

 private:
  std::vector<Memory> shared_;
  std::vector<std::vector<std::byte>> own_;
};

// Bytes of a peer's spans that are not those of the frame, read from where they lie or copied from the third
// byte on.
std::int64_t wrong_bytes(const NodeSpans& seen, int peer, int frame) {
  std::int64_t wrong = 0;
  for (std::size_t span = 0; span < seen.count(peer); ++span) {
    const std::size_t bytes = seen.bytes(peer, span);
    wrong += bytes == bytes_of(frame, span) ? 0 : 1;
    const std::size_t first = seen.in_place(peer, span) == nullptr && bytes > 2 ? 2 : 0;
    std::vector<std::byte> copied(bytes);
    const std::byte* from = seen.in_place(peer, span);
    if (from == nullptr) {
      const PeerSpans::Copy copy{span, first, bytes - first, copied.data() + first};
      seen.copy(peer, {&copy, 1});
      from = copied.data();
    }
    for (std::size_t at = first; at < bytes; ++at) wrong += from[at] == value(peer, frame, span, at) ? 0 : 1;
  }
  return wrong;
}

TEST(PublishedSpans, AreSeenWithTheirHeaders) {
  const int rank = testing::world_rank();
  for (const Reads which : {Reads::as_they_are, Reads::short_ones, Reads::forbidden}) {
    const With with(which);
    NodeOfRanks node;
    for (int frame = 0; frame < 30; ++frame) {
      SCOPED_TRACE("frame " + std::to_string(frame));
      const Spans mine(node, rank, frame);
      Offer offer;
      offer.header = header_of(rank, frame);
      offer.spans = mine.spans;
      offer.frame_bytes = frame % 3 == 0 ? 0 : 1;
      ASSERT_TRUE(node->meet(offer, "test"));
      const std::vector<Publication> published = publications(*node);
      if (frame % 3 != 0) {
        const NodeSpans seen(*node, published);
        for (const int peer : node.mates()) {
          EXPECT_EQ(seen.count(peer), count_of(peer, frame));
          EXPECT_EQ(wrong_bytes(seen, peer, frame), 0);
          if (which == Reads::forbidden) {
            EXPECT_FALSE(seen.pulls_from(peer));
          }
        }
        node.finish();
      }
      for (const int peer : node.mates()) {
        const std::span<const std::byte> header = published[static_cast<std::size_t>(peer)].header();
        EXPECT_EQ(std::vector<std::byte>(header.begin(), header.end()), header_of(peer, frame));
      }
      // Before the next spans are made, all have read these.
      ASSERT_TRUE(node->meet({}, "test"));
    }
  }
}

TEST(PublishedSpans, AreReadableWithoutACopyWhereTheyAreSharedOrTheKernelAllowsIt) {
  for (const Reads which : {Reads::as_they_are, Reads::forbidden}) {
    const With with(which);
    NodeOfRanks node;
    if (node->alone()) return;
    const Memory shared = node->allocate(1000);
    const std::vector<std::byte> own(1000);
    EXPECT_TRUE(node->shares({shared.get(), 1000}));
    EXPECT_FALSE(node->shares({own.data(), 1000}));
    EXPECT_TRUE(node->readable({shared.get() + 100, 900}));
    EXPECT_EQ(node->readable({own.data(), 1000}), node->neighbours().remote_reads);
  }
}

}  // namespace
}  // namespace sortlast
