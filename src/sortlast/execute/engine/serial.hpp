// Serial: runs all ranks of a schedule in one thread, without MPI, and moves the chunks between their
// engines.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "sortlast/content/indexed_program.hpp"
#include "sortlast/content/strings/packed_strings.hpp"
#include "sortlast/content/strings/string_codec.hpp"
#include "sortlast/execute/engine/engine.hpp"
#include "sortlast/schedule/interleaving.hpp"
#include "sortlast/serial.hpp"

namespace sortlast {

// Executes one frame.
class SerialRanks {
 public:
  struct Rank {
    const IndexedProgram& program;
    Content& content;  // has begun a frame
  };
  // Makes the receiver take in place pixels that another rank of its node started with: the sender's value 0,
  // of which the receive's value may be a part.
  using HandOver =
      std::function<void(std::size_t from, std::size_t send, std::size_t to, std::size_t receive)>;

  // The programs and contents must outlive it.
  SerialRanks(const std::vector<Rank>& ranks, HandOver hand_over);

  // Run the frame, up to the point where every content has merged all; the caller takes the results. `seed`
  // determines the order in which ranks take turns and chunks arrive, which must not change a bit. Throws
  // Error on a deadlock. Call once.
  void run(std::uint32_t seed);

 private:
  struct Member {
    const IndexedProgram& index;
    Content& content;
    Engine engine;
    std::vector<std::size_t> receive_of;  // of each send: the matching receive of the peer
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
  std::map<std::pair<std::size_t, Chunk>, Incoming> rooms_;  // awaited chunks, by receiver
};

// Throws ArgumentError unless these images can be composited by `op`.
void check_images(std::span<const ConstPixels> images, Size size, const Format& format, Op op);

// Like execute_serial() of sortlast/serial.hpp, where pixels travel between nodes as `wire` specifies, and
// `interleaving`, made for the same number of pixels, maps the schedule's pixels to the pixels of the images.
Frame execute_serial(const Schedule& schedule, std::span<const ConstPixels> images, Size size,
                     const Format& format, Op op, std::uint32_t seed, const WireOptions& wire,
                     const Interleaving& interleaving = {});

struct StringFrame {
  PixelBuffer pixels;               // of the whole image
  std::vector<LayerString> joined;  // pixel by pixel in order, if the contents keep them
};

// The same for one content of varying size per rank, and a schedule made with `commutes`. `block`: see
// StringContent. Throws ArgumentError if the schedule's operator does not commute or the number of contents
// is wrong.
StringFrame execute_serial(const Schedule& schedule, std::span<const StringCodec* const> contents,
                           const Format& format, std::uint32_t seed, std::int64_t block);

}  // namespace sortlast
