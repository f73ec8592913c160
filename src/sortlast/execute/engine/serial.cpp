// Serial.
#include "sortlast/execute/engine/serial.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "sortlast/content/pixels/pixel_content.hpp"
#include "sortlast/content/pixels/tile.hpp"
#include "sortlast/content/strings/string_content.hpp"
#include "sortlast/error.hpp"
#include "sortlast/image/blend.hpp"

namespace sortlast {

// ---- The executor ---------------------------------------------------------------------------------

SerialRanks::SerialRanks(const std::vector<Rank>& ranks, HandOver hand_over)
    : hand_over_(std::move(hand_over)) {
  for (const Rank& rank : ranks)
    members_.push_back({rank.program, rank.content, Engine(rank.program, rank.content), {}});
  pair_transfers();
  for (std::size_t rank = 0; rank < members_.size(); ++rank) {
    const Member& member = members_[rank];
    for (std::size_t send = 0; send < member.index.sends.size(); ++send)
      if (member.index.sends[send].spared) under_way_.push_back({rank, {send, 0}, {}, true});
  }
}

// The k-th send between a pair of ranks belongs to its k-th receive.
void SerialRanks::pair_transfers() {
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::size_t>> receives;
  for (const Member& member : members_) {
    const Program& program = member.index.program;
    for (std::size_t i = 0; i < program.receives.size(); ++i)
      receives[{program.receives[i].peer, program.rank}].push_back(i);
  }
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> next;
  for (Member& member : members_) {
    for (const Send& send : member.index.program.sends) {
      const std::pair pair{member.index.program.rank, send.peer};
      member.receive_of.push_back(receives.at(pair)[next[pair]++]);
    }
  }
}

void SerialRanks::run(std::uint32_t seed) {
  for (Member& member : members_) {
    member.engine.begin_frame();
    member.engine.start();
  }
  std::mt19937 random(seed);
  while (step(random)) {
  }
  for (std::size_t rank = 0; rank < members_.size(); ++rank) {
    if (members_[rank].engine.left() > 0 || !members_[rank].content.merged())
      throw Error("serial executor: rank " + std::to_string(rank) + " is deadlocked");
  }
}

// Make one rank, chosen at random, do one step; returns whether any could.
bool SerialRanks::step(std::mt19937& random) {
  const std::size_t p = members_.size();
  const std::size_t first = std::uniform_int_distribution<std::size_t>(0, p - 1)(random);
  for (std::size_t i = 0; i < p; ++i)
    if (act((first + i) % p, random)) return true;
  return false;
}

bool SerialRanks::act(std::size_t rank, std::mt19937& random) {
  Member& member = members_[rank];
  for (auto chunk = member.engine.next_receive(); chunk; chunk = member.engine.next_receive())
    rooms_[{rank, *chunk}] = member.content.incoming(*chunk);
  for (auto chunk = member.engine.next_send(); chunk; chunk = member.engine.next_send())
    under_way_.push_back({rank, *chunk, member.content.outgoing(*chunk)});
  if (random() % 2 == 0 && deliver_one(random)) return true;
  return member.engine.work() > 0 || deliver_one(random);
}

// Deliver one message, chosen at random from the messages that a receiver waits for.
bool SerialRanks::deliver_one(std::mt19937& random) {
  if (under_way_.empty()) return false;
  const std::size_t first = random() % under_way_.size();
  for (std::size_t i = 0; i < under_way_.size(); ++i) {
    const std::size_t index = (first + i) % under_way_.size();
    const Message message = under_way_[index];
    if (!deliver(message)) continue;
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(index));
    return true;
  }
  return false;
}

// Deliver the message if the receiver waits for it; returns whether it does.
bool SerialRanks::deliver(const Message& message) {
  Member& from = members_[message.from];
  const std::size_t transfer = message.chunk.transfer;
  const auto to = static_cast<std::size_t>(from.index.program.sends[transfer].peer);
  Member& receiver = members_[to];
  const Chunk chunk{from.receive_of[transfer], message.chunk.number};
  if (message.in_place) {
    hand_over_(message.from, transfer, to, chunk.transfer);
    receiver.engine.in_place(chunk.transfer);
    return true;
  }

  const Outgoing& sent = message.bytes;
  Arrived arrival{sent.planes[0].size()};
  if (sent.coding == Coding::string) {
    arrival.string = sent.planes[0].subspan(string_head_bytes);
    arrival.memory = sent.memory;
  } else {
    const auto room = rooms_.find({to, chunk});
    if (room == rooms_.end()) return false;
    const Incoming& into = room->second;
    if (sent.room != into.planes[0].size() || sent.messages != into.messages)
      throw Error("serial executor: the ends of a transfer disagree about its pixels");
    for (std::size_t i = 0; i < sent.planes.size(); ++i)
      if (!sent.planes[i].empty())
        std::memcpy(into.planes[i].data(), sent.planes[i].data(), sent.planes[i].size());
    rooms_.erase(room);
  }
  from.engine.sent(message.chunk);
  receiver.engine.arrived(chunk, arrival);
  return true;
}

// ---- Dense pixels ---------------------------------------------------------------------------------

namespace {

struct PixelRank {
  PixelRank(const Schedule& schedule, std::int32_t rank, Op op, const WireOptions& wire,
            const ImageView& image, const Interleaving& interleaving, Pool& pool, Team& team)
      : index(schedule, rank, image.format, op, wire),
        content(index, pool, team),
        contribution{image, nullptr, {}, interleaving} {
    content.begin_frame(contribution);
  }

  IndexedProgram index;
  PixelContent content;
  Contribution contribution;
};

struct StringRank {
  StringRank(const Schedule& schedule, std::int32_t rank, const StringCodec& own, std::int64_t block,
             Pool& pool, Team& team)
      : index(schedule, rank), content(index, block, pool, team) {
    content.begin_frame(own);
  }

  IndexedProgram index;
  StringContent content;
};

template <typename Each>
std::vector<SerialRanks::Rank> as_ranks(const std::vector<std::unique_ptr<Each>>& each) {
  std::vector<SerialRanks::Rank> ranks;
  for (const auto& rank : each) ranks.push_back({rank->index, rank->content});
  return ranks;
}

}  // namespace

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

  Pool pool;
  Team team;
  std::vector<std::unique_ptr<PixelRank>> ranks;
  for (std::int32_t rank = 0; rank < schedule.p(); ++rank) {
    const ImageView image{images[static_cast<std::size_t>(rank)], size, format};
    ranks.push_back(std::make_unique<PixelRank>(schedule, rank, op, wire, image, interleaving, pool, team));
  }
  SerialRanks all(as_ranks(ranks),
                  [&](std::size_t from, std::size_t /*send*/, std::size_t to, std::size_t receive) {
                    ranks[to]->content.refer(receive, {ranks[from]->contribution.image});
                  });
  all.run(seed);

  Frame frame{size, format, take_pixels(pool, format, size.pixels())};
  for (std::int32_t rank = 0; rank < schedule.p(); ++rank) {
    const Range piece = schedule.piece(rank);
    if (piece.empty()) continue;
    const PixelBuffer result = ranks[static_cast<std::size_t>(rank)]->content.take_result();
    detail::put_pixels(interleaving, format, piece, result.view(), frame.pixels.view());
  }
  return frame;
}

// ---- Strings --------------------------------------------------------------------------------------

StringFrame execute_serial(const Schedule& schedule, std::span<const StringCodec* const> contents,
                           const Format& format, std::uint32_t seed, std::int64_t block) {
  if (contents.size() != static_cast<std::size_t>(schedule.p())) {
    throw ArgumentError(std::to_string(contents.size()) + " contents; expected one for each of " +
                        std::to_string(schedule.p()) + " ranks");
  }
  if (!schedule.setting().commutes)
    throw ArgumentError("the schedule is for operators that do not commute; make it with commutes = true");

  Pool pool;
  Team team;
  std::vector<std::unique_ptr<StringRank>> ranks;
  for (std::int32_t rank = 0; rank < schedule.p(); ++rank)
    ranks.push_back(std::make_unique<StringRank>(schedule, rank, *contents[static_cast<std::size_t>(rank)],
                                                 block, pool, team));
  SerialRanks all(as_ranks(ranks),
                  [&](std::size_t from, std::size_t send, std::size_t to, std::size_t receive) {
                    Bytes message;
                    ranks[from]->content.append_message(send, message);
                    ranks[to]->content.arrived({receive, 0}, {0, message.view(), message.memory()});
                  });
  all.run(seed);

  StringFrame frame{take_pixels(pool, format, schedule.n()), {}};
  std::map<std::int64_t, std::vector<LayerString>> joined;  // by first pixel
  for (std::int32_t rank = 0; rank < schedule.p(); ++rank) {
    const Range piece = schedule.piece(rank);
    if (piece.empty()) continue;
    StringContent& content = ranks[static_cast<std::size_t>(rank)]->content;
    content.place({frame.pixels.memory(), advance(frame.pixels.view(), format, piece.begin)}, format);
    content.take_result();
    joined[piece.begin] = content.take_joined();
  }
  for (auto& [begin, strings] : joined)
    frame.joined.insert(frame.joined.end(), strings.begin(), strings.end());
  return frame;
}

}  // namespace sortlast
