// Serial layers.
#include "sortlast/execute/layers/serial_layers.hpp"

#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

// All ranks of a schedule, and the messages between them.
class Ranks {
 public:
  Ranks(const Schedule& schedule, std::span<const LayerContent* const> contents, std::int64_t block) {
    for (std::int32_t rank = 0; rank < schedule.p(); ++rank)
      ranks_.push_back(
          std::make_unique<Rank>(schedule.program(rank), schedule.setting(), block, pool_, team_));
    pair_transfers();
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) ranks_[rank]->run.begin_frame(*contents[rank]);
    share();
  }

  // Send one message of a rank chosen at random, or deliver one; returns whether there was any.
  bool step(std::mt19937& random) {
    if (random() % 2 == 0 && deliver_one(random)) return true;
    const std::size_t first = random() % ranks_.size();
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      if (send_one((first + i) % ranks_.size())) return true;
    return deliver_one(random);
  }

  LayerRun& run(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]->run; }

 private:
  struct Rank {
    Rank(Program made, const Setting& setting, std::int64_t block, Pool& pool, Team& team)
        : program(std::move(made), setting), run(program, block, pool, team) {}

    LayerProgram program;
    LayerRun run;
  };
  struct Message {
    std::size_t to = 0;
    std::size_t receive = 0;
    Bytes bytes;
  };

  // The k-th send of a pair belongs to its k-th receive.
  void pair_transfers() {
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::size_t>> receives;
    for (const auto& rank : ranks_) {
      const Program& program = rank->program.program;
      for (std::size_t i = 0; i < program.receives.size(); ++i)
        receives[{program.receives[i].peer, program.rank}].push_back(i);
    }
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> next;
    for (const auto& rank : ranks_) {
      const Program& program = rank->program.program;
      std::vector<std::size_t>& mine = receive_of_.emplace_back();
      for (const Send& send : program.sends) {
        const std::pair pair{program.rank, send.peer};
        mine.push_back(receives.at(pair)[next[pair]++]);
      }
    }
  }

  bool send_one(std::size_t rank) {
    const auto send = ranks_[rank]->run.next_send(std::numeric_limits<std::int32_t>::max());
    if (send) this->send(rank, *send);
    return send.has_value();
  }

  void send(std::size_t rank, std::size_t send) {
    const auto to = static_cast<std::size_t>(ranks_[rank]->program.program.sends[send].peer);
    Message message{to, receive_of_[rank][send], Bytes()};
    ranks_[rank]->run.outgoing(send, message.bytes);
    under_way_.push_back(std::move(message));
  }

  // Ranks of one node hand over to each other what they started with.
  void share() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      const std::vector<bool>& spared = ranks_[rank]->program.spared.sends;
      for (std::size_t i = 0; i < spared.size(); ++i)
        if (spared[i]) send(rank, i);
    }
  }

  bool deliver_one(std::mt19937& random) {
    if (under_way_.empty()) return false;
    std::swap(under_way_[random() % under_way_.size()], under_way_.back());
    const Message message = std::move(under_way_.back());
    under_way_.pop_back();
    ranks_[message.to]->run.arrived(message.receive, message.bytes.view(), message.bytes.memory());
    return true;
  }

  Pool pool_;
  Team team_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<std::vector<std::size_t>> receive_of_;  // rank, send -> receive of the peer
  std::vector<Message> under_way_;
};

}  // namespace

LayerFrame execute_layers_serial(const Schedule& schedule, std::span<const LayerContent* const> contents,
                                 const Format& format, std::uint32_t seed, std::int64_t block) {
  if (contents.size() != static_cast<std::size_t>(schedule.p())) {
    throw ArgumentError(std::to_string(contents.size()) + " contents; expected one for each of " +
                        std::to_string(schedule.p()) + " ranks");
  }
  if (!schedule.setting().commutes)
    throw ArgumentError("the schedule is for operators that do not commute; make it with commutes = true");
  Ranks ranks(schedule, contents, block);
  std::mt19937 random(seed);
  while (ranks.step(random)) {
  }

  Pool pool;
  LayerFrame frame{take_pixels(pool, format, schedule.n()), {}};
  std::map<std::int64_t, std::vector<LayerString>> joined;  // by the first pixel
  for (std::int32_t rank = 0; rank < schedule.p(); ++rank) {
    if (!ranks.run(rank).complete())
      throw Error("serial executor: rank " + std::to_string(rank) + " waits for ever");
    const Range piece = schedule.piece(rank);
    if (piece.empty()) continue;
    joined[piece.begin] = ranks.run(rank).finish(advance(frame.pixels.view(), format, piece.begin), format);
  }
  for (auto& [begin, strings] : joined)
    frame.joined.insert(frame.joined.end(), strings.begin(), strings.end());
  return frame;
}

}  // namespace sortlast
