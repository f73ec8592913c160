// The serial executor, and the oracle.
#include "sortlast/execute/serial.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/execute/run.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/schedule/permutation.hpp"

namespace sortlast {
namespace {

void copy_pixels(const Format& format, ConstPixels from, Pixels to, std::int64_t n) {
  if (n == 0) return;
  const auto count = static_cast<std::size_t>(n);
  std::memcpy(to.colour, from.colour, count * format.colour_bytes());
  if (format.depth) std::memcpy(to.depth, from.depth, count * sizeof(float));
}

// All ranks of a schedule, and the messages between them.
class Ranks {
 public:
  Ranks(const Schedule& schedule, std::span<const ConstPixels> images, const Format& format, Op op) {
    for (std::int32_t rank = 0; rank < schedule.p(); ++rank) {
      programs_.push_back(std::make_unique<Program>(schedule.program(rank)));
      const Contribution contribution{images[static_cast<std::size_t>(rank)], format, op};
      runs_.push_back(std::make_unique<Run>(*programs_.back(), contribution, pool_));
    }
    // The k-th send of a pair belongs to its k-th receive.
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::size_t>> receives;
    for (const auto& program : programs_) {
      for (std::size_t i = 0; i < program->receives.size(); ++i) {
        receives[{program->receives[i].peer, program->rank}].push_back(i);
      }
    }
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> next;
    for (const auto& program : programs_) {
      auto& mine = receive_of_.emplace_back();
      for (const Send& send : program->sends) {
        const std::pair pair{program->rank, send.peer};
        mine.push_back(receives.at(pair)[next[pair]++]);
      }
    }
  }

  // Let one rank, chosen at random, do one step; returns whether any could.
  bool step(std::mt19937& random) {
    const std::size_t p = runs_.size();
    const std::size_t first = std::uniform_int_distribution<std::size_t>(0, p - 1)(random);
    for (std::size_t i = 0; i < p; ++i) {
      const std::size_t rank = (first + i) % p;
      if (act(rank, random)) return true;
    }
    return false;
  }

  Run& run(std::int32_t rank) { return *runs_[static_cast<std::size_t>(rank)]; }

 private:
  struct Message {
    std::size_t from;
    std::size_t send;
  };

  bool act(std::size_t rank, std::mt19937& random) {
    Run& run = *runs_[rank];
    for (auto send = run.next_send(); send; send = run.next_send()) under_way_.push_back({rank, *send});
    if (!under_way_.empty() && random() % 2 == 0) {
      deliver(random() % under_way_.size());
      return true;
    }
    if (run.blend() > 0) return true;
    if (under_way_.empty()) return false;
    deliver(random() % under_way_.size());
    return true;
  }

  void deliver(std::size_t index) {
    const Message message = under_way_[index];
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(index));
    Run& from = *runs_[message.from];
    const auto to = static_cast<std::size_t>(programs_[message.from]->sends[message.send].peer);
    const std::size_t receive = receive_of_[message.from][message.send];
    const Outgoing out = from.outgoing(message.send);
    const Incoming in = runs_[to]->incoming(receive);
    if (!out.absent && (out.count != in.count || out.format != in.format)) {
      throw Error("serial executor: the ends of a transfer disagree about its pixels");
    }
    if (!out.absent) copy_pixels(out.format, out.pixels, in.pixels, out.count);
    from.sent(message.send);
    runs_[to]->arrived(receive, out.absent);
  }

  Pool pool_;
  std::vector<std::unique_ptr<Program>> programs_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::vector<std::vector<std::size_t>> receive_of_;  // rank, send -> receive of the peer
  std::vector<Message> under_way_;
};

Frame new_frame(Size size, const Format& format) {
  Pool pool;
  return {size, format, Stretch(pool, format, size.pixels())};
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
  Ranks ranks(schedule, images, format, op);
  std::mt19937 random(seed);
  while (ranks.step(random)) {
  }

  Frame frame = new_frame(size, format);
  for (std::int32_t rank = 0; rank < schedule.p(); ++rank) {
    if (!ranks.run(rank).blended())
      throw Error("serial executor: rank " + std::to_string(rank) + " waits for ever");
    const Range piece = schedule.piece(rank);
    if (piece.empty()) continue;
    const Stretch result = ranks.run(rank).take_result();
    copy_pixels(format, result.view(), advance(frame.pixels.view(), format, piece.begin), piece.size());
  }
  return frame;
}

}  // namespace sortlast
