// The serial executor, and the oracle.
#include "sortlast/serial.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/execute/run/run.hpp"
#include "sortlast/execute/run/tile.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/schedule/algorithm.hpp"

namespace sortlast {
namespace {

// All ranks of a schedule, and the messages between them. Ranks of one node read each other's images.
class Ranks {
 public:
  Ranks(const Schedule& schedule, std::span<const ConstPixels> images, Size size, const Format& format, Op op,
        const WireOptions& wire, const Interleaving& interleaving) {
    for (std::int32_t rank = 0; rank < schedule.p(); ++rank) {
      const ImageView image{images[static_cast<std::size_t>(rank)], size, format};
      ranks_.push_back(std::make_unique<Rank>(schedule, rank, op, wire, format, pool_, team_));
      ranks_.back()->contribution = {image, nullptr, {}, interleaving};
      ranks_.back()->run.begin_frame(ranks_.back()->contribution);
    }
    for (const auto& rank : ranks_) begin(*rank, schedule.stages());
    pair_transfers();
  }

  // Let one rank, chosen at random, do one step; returns whether any could.
  bool step(std::mt19937& random) {
    const std::size_t p = ranks_.size();
    const std::size_t first = std::uniform_int_distribution<std::size_t>(0, p - 1)(random);
    for (std::size_t i = 0; i < p; ++i) {
      const std::size_t rank = (first + i) % p;
      if (act(rank, random)) return true;
    }
    return false;
  }

  Run& run(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]->run; }

 private:
  struct Rank {
    Rank(const Schedule& schedule, std::int32_t rank, Op op, const WireOptions& wire, const Format& format,
         Pool& pool, Team& team)
        : indexed(schedule, rank, format, op, wire), run(indexed, pool, team) {}

    IndexedProgram indexed;
    Contribution contribution;
    Run run;
  };
  struct End {  // of a transfer
    std::size_t rank = 0;
    std::size_t step = 0;
  };
  struct Message {
    std::size_t from;
    Chunk chunk;
    Outgoing encoded;
  };
  using Room = std::pair<std::size_t, Chunk>;  // receiver and chunk

  // The k-th send of a pair belongs to its k-th receive.
  void pair_transfers() {
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::size_t>> receives;
    for (const auto& rank : ranks_) {
      const Program& program = rank->indexed.program;
      for (std::size_t i = 0; i < program.receives.size(); ++i)
        receives[{program.receives[i].peer, program.rank}].push_back(i);
    }
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> next;
    for (const auto& rank : ranks_) {
      const Program& program = rank->indexed.program;
      auto& mine = receiver_.emplace_back();
      for (const Send& send : program.sends) {
        const std::pair pair{program.rank, send.peer};
        mine.push_back({static_cast<std::size_t>(send.peer), receives.at(pair)[next[pair]++]});
      }
    }
  }

  // Refer to the images of its node, all of which are there.
  void begin(Rank& rank, std::int32_t stages) {
    const auto& receives = rank.indexed.program.receives;
    for (std::size_t i = 0; i < receives.size(); ++i)
      if (rank.indexed.receives[i].spared)
        rank.run.refer(i, {ranks_[static_cast<std::size_t>(receives[i].peer)]->contribution.image});
    rank.run.open(stages);
  }

  bool act(std::size_t rank, std::mt19937& random) {
    Run& run = ranks_[rank]->run;
    for (auto chunk = run.next_receive(); chunk; chunk = run.next_receive())
      rooms_[{rank, *chunk}] = run.incoming(*chunk);
    for (auto chunk = run.next_send(); chunk; chunk = run.next_send())
      under_way_.push_back({rank, *chunk, run.outgoing(*chunk)});
    if (random() % 2 == 0 && deliver_one(random)) return true;
    return run.blend() > 0 || deliver_one(random);
  }

  // Deliver one message, chosen at random among those that their receivers wait for.
  bool deliver_one(std::mt19937& random) {
    if (under_way_.empty()) return false;
    const std::size_t first = random() % under_way_.size();
    for (std::size_t i = 0; i < under_way_.size(); ++i) {
      const std::size_t index = (first + i) % under_way_.size();
      const Message& message = under_way_[index];
      const End to = receiver_[message.from][message.chunk.transfer];
      const auto room = rooms_.find({to.rank, Chunk{to.step, message.chunk.number}});
      if (room == rooms_.end()) continue;
      deliver(message, to, room->second);
      rooms_.erase(room);
      under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(index));
      return true;
    }
    return false;
  }

  void deliver(const Message& message, End to, const Incoming& room) {
    const Outgoing& sent = message.encoded;
    if (sent.count != room.count || sent.format != room.format) {
      throw Error("serial executor: the ends of a transfer disagree about its pixels");
    }
    if (sent.colour_bytes() > 0) std::memcpy(room.room.colour, sent.pixels.colour, sent.colour_bytes());
    if (sent.depth_bytes() > 0) std::memcpy(room.room.depth, sent.pixels.depth, sent.depth_bytes());
    ranks_[message.from]->run.sent(message.chunk);
    ranks_[to.rank]->run.arrived({to.step, message.chunk.number}, sent.colour_bytes());
  }

  Pool pool_;
  Team team_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<std::vector<End>> receiver_;  // rank, send -> where it ends
  std::vector<Message> under_way_;
  std::map<Room, Incoming> rooms_;  // for messages that are waited for
};

Frame new_frame(Size size, const Format& format) {
  Pool pool;
  return {size, format, take_pixels(pool, format, size.pixels())};
}

void check_images(std::span<const ConstPixels> images, Size size, const Format& format, Op op) {
  check_format(format, op);
  check_size(size, format);
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (images[i].colour != nullptr && format.depth && images[i].depth == nullptr) {
      throw ArgumentError("image " + std::to_string(i) + " has no depth; expected one, as its format says");
    }
  }
}

}  // namespace

Frame composite_serial(std::span<const ConstPixels> images, Size size, const Format& format, Op op,
                       const std::vector<std::int32_t>& order, std::span<const float> background) {
  check_images(images, size, format, op);
  check_permutation(order, static_cast<std::int32_t>(images.size()), "order");
  Frame frame = new_frame(size, format);
  const std::int64_t n = size.pixels();

  std::vector<Link> chain;
  for (std::size_t position = 0; position < images.size(); ++position) {
    const ConstPixels image =
        images[static_cast<std::size_t>(at(order, static_cast<std::int64_t>(position)))];
    if (image.colour != nullptr) chain.push_back({image, format.scalar, Side::back});
  }
  if (n == 0) return frame;
  if (chain.empty()) {
    fill_absent(op, format, !background.empty(), frame.pixels.view(), n);
  } else {
    blend_reference(op, format.channels, format.depth, chain, frame.pixels.view(), format.scalar, n);
  }
  if (!background.empty()) apply_background(op, format, background, frame.pixels.view(), n);
  return frame;
}

Frame execute_serial(const Schedule& schedule, std::span<const ConstPixels> images, Size size,
                     const Format& format, Op op, std::uint32_t seed) {
  return execute_serial(schedule, images, size, format, op, seed, WireOptions{});
}

Frame execute_serial(const Schedule& schedule, std::span<const ConstPixels> images, Size size,
                     const Format& format, Op op, std::uint32_t seed, const WireOptions& wire,
                     const Interleaving& interleaving) {
  check_images(images, size, format, op);
  if (images.size() != static_cast<std::size_t>(schedule.p())) {
    throw ArgumentError(std::to_string(images.size()) + " images; expected one for each of " +
                        std::to_string(schedule.p()) + " ranks");
  }
  if (size.pixels() != schedule.n()) {
    throw ArgumentError("images of " + std::to_string(size.pixels()) + " pixels; the schedule is for " +
                        std::to_string(schedule.n()));
  }
  if (schedule.setting().commutes && !commutes(op)) {
    throw ArgumentError("the schedule is for operators that commute, and " + std::string(op_name(op)) +
                        " does not; make it with commutes = false");
  }
  Ranks ranks(schedule, images, size, format, op, wire, interleaving);
  std::mt19937 random(seed);
  while (ranks.step(random)) {
  }

  Frame frame = new_frame(size, format);
  for (std::int32_t rank = 0; rank < schedule.p(); ++rank) {
    if (!ranks.run(rank).blended())
      throw Error("serial executor: rank " + std::to_string(rank) + " waits for ever");
    const Range piece = schedule.piece(rank);
    if (piece.empty()) continue;
    const PixelBuffer result = ranks.run(rank).take_result();
    detail::put_pixels(interleaving, format, piece, result.view(), frame.pixels.view());
  }
  return frame;
}

}  // namespace sortlast
