// Serial: all ranks of a schedule at work in one thread, without MPI: engines whose chunks this executor
// moves.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "sortlast/execute/engine/engine.hpp"
#include "sortlast/execute/layers/content.hpp"
#include "sortlast/execute/layers/packed_strings.hpp"
#include "sortlast/execute/plan/plan.hpp"
#include "sortlast/schedule/interleaving.hpp"
#include "sortlast/serial.hpp"

namespace sortlast {

class SerialRanks {
 public:
  struct Rank {
    const IndexedProgram& program;
    Content& content;  // which has begun a frame
  };
  // The receiver takes in place what another rank of its node started with.
  using HandOver =
      std::function<void(std::size_t from, std::size_t send, std::size_t to, std::size_t receive)>;

  // All must outlive it.
  SerialRanks(const std::vector<Rank>& ranks, HandOver hand_over);

  // Run the frame. `seed` draws the order in which ranks take turns and chunks arrive, which must not change
  // a bit. Throws Error if a rank would wait for ever.
  void run(std::uint32_t seed);

 private:
  struct Member {
    const IndexedProgram& index;
    Content& content;
    Engine engine;
    std::vector<std::size_t> receive_of;  // by send: the receive of the peer
    std::int64_t left = 0;                // chunks to receive, and transfers to take in place
  };
  struct Message {  // under way
    std::size_t from;
    Chunk chunk;
    Outgoing bytes;
    bool in_place = false;
  };

  void pair_transfers();
  bool step(std::mt19937& random);
  bool act(std::size_t rank, std::mt19937& random);
  bool deliver_one(std::mt19937& random);
  bool deliver(const Message& message);

  std::vector<Member> members_;
  HandOver hand_over_;
  std::vector<Message> under_way_;
  std::map<std::pair<std::size_t, Chunk>, Incoming> rooms_;  // by receiver and chunk: those waited for
};

// Throws ArgumentError unless images like these can be composited by `op`.
void check_images(std::span<const ConstPixels> images, Size size, const Format& format, Op op);

// As execute_serial() of sortlast/serial.hpp, where pixels of other nodes travel as `wire` says, and the
// schedule's pixels lie in the images as `interleaving`, made for as many, says.
Frame execute_serial(const Schedule& schedule, std::span<const ConstPixels> images, Size size,
                     const Format& format, Op op, std::uint32_t seed, const WireOptions& wire,
                     const Interleaving& interleaving = {});

struct StringFrame {
  PixelBuffer pixels;               // of the whole image
  std::vector<LayerString> joined;  // pixel by pixel in order, if the contents keep them
};

// The same for one content of varying size per rank, and a schedule made with `commutes`. `block`: see
// StringContent. Throws ArgumentError for a schedule whose operator does not commute or a wrong number of
// contents.
StringFrame execute_serial(const Schedule& schedule, std::span<const LayerContent* const> contents,
                           const Format& format, std::uint32_t seed, std::int64_t block);

}  // namespace sortlast
