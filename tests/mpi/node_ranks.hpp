// What the tests of nodes share: a node for each test, images with known pixels, and reading those of mates.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "mpi/ranks.hpp"
#include "sortlast/execute/mpi/neighbours.hpp"
#include "sortlast/execute/node/node_image.hpp"

namespace sortlast::testing {

inline Communicator duplicate_world() {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return Communicator(made);
}

// A node, and what it needs.
class NodeOfRanks {
 public:
  // `ranks` as for make_node().
  explicit NodeOfRanks(int ranks = 0, std::function<void()> interrupt = {})
      : comm_(duplicate_world()),
        alarm_(comm_, 60, std::move(interrupt)),
        node_(std::make_unique<Node>(make_node(comm_, alarm_, ranks))) {}

  Node* operator->() { return node_.get(); }
  Node& operator*() { return *node_; }
  // Of waits from now on [s].
  void set_limit(double seconds) { alarm_.set_limit(seconds); }
  // After a TimeoutError.
  void abandon() { comm_.abandon(); }
  void destroy_node() { node_.reset(); }

  std::vector<int> mates() const {
    std::vector<int> ranks;
    for (int rank = 0; rank < comm_.size(); ++rank) {
      if (node_->mate(rank)) ranks.push_back(rank);
    }
    return ranks;
  }

  // The image that a rank offered.
  NodeImage image(int rank) { return {*node_, rank}; }

  // Do what ends a frame: this rank reads no more, and waits for those that read its image.
  void finish() {
    for (const int mate : mates()) node_->release(mate);
    node_->wait_until_read("test");
  }

 private:
  Communicator comm_;
  Alarm alarm_;
  std::unique_ptr<Node> node_;
};

// Bytes that tell whose pixels they are, of which frame, and which.
inline std::uint32_t number(int rank, std::int64_t frame, std::int64_t pixel) {
  return static_cast<std::uint32_t>(std::int64_t{7919} * rank + frame * 104729 + pixel * 31 + 1);
}

// Write pixels [begin, end) of a rank's image; each starts with its number.
inline void paint(Pixels to, const Format& format, std::int64_t begin, std::int64_t end, int rank,
                  std::int64_t frame) {
  for (std::int64_t pixel = begin; pixel < end; ++pixel) {
    const std::uint32_t value = number(rank, frame, pixel);
    std::memcpy(to.colour + static_cast<std::size_t>(pixel) * format.colour_bytes(), &value, sizeof value);
    if (format.depth) to.depth[pixel] = static_cast<float>(value % 1000);
  }
}

// How many of the pixels [begin, end), the first of which is at `at`, are not those of a rank's image.
inline std::int64_t wrong_pixels(ConstPixels at, const Format& format, std::int64_t begin, std::int64_t end,
                                 int rank, std::int64_t frame) {
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < end - begin; ++i) {
    const std::uint32_t expected = number(rank, frame, begin + i);
    std::uint32_t value = 0;
    std::memcpy(&value, at.colour + static_cast<std::size_t>(i) * format.colour_bytes(), sizeof value);
    const bool right =
        value == expected && (!format.depth || at.depth[i] == static_cast<float>(expected % 1000));
    wrong += right ? 0 : 1;
  }
  return wrong;
}

// An image in memory of the test's own.
class OwnImage {
 public:
  OwnImage(const Format& format, std::int64_t count)
      : colour_(static_cast<std::size_t>(count) * format.colour_bytes()),
        depth_(format.depth ? static_cast<std::size_t>(count) : 0) {}
  Pixels view() { return {colour_.data(), depth_.empty() ? nullptr : depth_.data()}; }

 private:
  std::vector<std::byte> colour_;
  std::vector<float> depth_;
};

}  // namespace sortlast::testing
