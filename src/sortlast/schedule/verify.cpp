// Verification: a schedule executed symbolically, without pixels and without MPI.
//
// Each rank's program is checked by itself: every value becomes exactly the declared fragment, through merges
// of adjacent fragments, and nothing is used before it exists. Then the two ends of all transfers are
// compared, as lists, so that a receive declares what its sender actually sends. Finally, the results must
// partition the image.
//
// Stages exclude deadlock: a value is ready at the latest stage of the receives that it depends on, and a
// send must belong to a later stage. All transfers therefore complete, even if a send waits for its receive
// (rendezvous) and a rank opens a stage only after all but the last few have ended. By induction, when all
// transfers of the stages before s have ended, every rank has opened stage s and holds the data that it sends
// in it, so both ends of each transfer of stage s are ready. tests/schedule/rendezvous_test.cpp simulates
// this.
#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/schedule/algorithm.hpp"
#include "sortlast/schedule/depth_layers.hpp"

namespace sortlast {
namespace {

std::string text(Range range) {
  return "[" + std::to_string(range.begin) + ", " + std::to_string(range.end) + ")";
}

std::string text(const Fragment& fragment) {
  return "pixels " + text(fragment.pixels) + " depth " + text(fragment.depth);
}

// A part of a value that has been computed, and the latest stage that it depends on.
struct Written {
  Range pixels;
  std::int32_t stage = 0;
};

// Checks the program of one rank.
class ProgramCheck {
 public:
  ProgramCheck(const Program& program, const Setting& setting)
      : program_(program), p_(setting.p), commutes_(setting.commutes), written_(program.values.size()) {}

  void run(std::int64_t n, const std::vector<std::int32_t>& order) {
    if (program_.values.empty()) fail("has no value 0, its own image");
    const Fragment own = program_.values.front();
    const auto stands = [&](std::int64_t position) {
      return position >= 0 && position < p_ && at(order, position) == program_.rank;
    };
    if (own.pixels != Range{0, n} || own.depth.size() != 1 || (!commutes_ && !stands(own.depth.begin))) {
      fail("starts with " + text(own) + ", which is not its own image");
    }
    written_[0].push_back({own.pixels, 0});
    check_order(program_.sends, "sends");
    check_order(program_.receives, "receives");
    for (const Receive& receive : program_.receives) accept(receive);
    for (const Merge& merge : program_.merges) check(merge);
    for (const Send& send : program_.sends) check(send);
    check_result();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error("schedule: rank " + std::to_string(program_.rank) + " " + what);
  }

  const Fragment& value(Value index) const {
    if (index < 0 || static_cast<std::size_t>(index) >= program_.values.size()) {
      fail("uses value " + std::to_string(index) + ", which it does not have");
    }
    return program_.values[static_cast<std::size_t>(index)];
  }

  template <typename Steps>
  void check_order(const Steps& steps, const char* what) const {
    const bool sorted = std::is_sorted(steps.begin(), steps.end(),
                                       [](const auto& a, const auto& b) { return a.stage < b.stage; });
    if (!sorted) fail(std::string("lists its ") + what + " out of the order of stages");
  }

  void accept(const Receive& receive) {
    const Fragment& fragment = value(receive.value);
    std::vector<Written>& parts = written_[static_cast<std::size_t>(receive.value)];
    if (!parts.empty()) fail("receives value " + std::to_string(receive.value) + " twice");
    parts.push_back({fragment.pixels, receive.stage});
  }

  // The latest stage that `pixels` of a value depend on. Fails unless all of them exist.
  std::int32_t ready(Value index, Range pixels) const {
    if (!value(index).pixels.contains(pixels)) {
      fail("uses pixels " + text(pixels) + " of value " + std::to_string(index) + ", " + text(value(index)));
    }
    std::int64_t there = 0;
    std::int32_t stage = 0;
    for (const Written& part : written_[static_cast<std::size_t>(index)]) {
      const Range common = intersection(part.pixels, pixels);
      if (common.empty()) continue;
      there += common.size();
      stage = std::max(stage, part.stage);
    }
    if (there != pixels.size())
      fail("uses pixels " + text(pixels) + " of value " + std::to_string(index) + " too early");
    return stage;
  }

  // Whether a range of depth positions begins where another ends, modulo p if operators commute.
  bool touch(std::int64_t end, std::int64_t begin) const {
    return end == begin || (commutes_ && (end - begin) % p_ == 0);
  }

  bool same_depth(Range a, Range b) const {
    if (a.size() != b.size()) return false;
    return a.begin == b.begin || (commutes_ && (a.size() == p_ || (a.begin - b.begin) % p_ == 0));
  }

  void check(const Merge& merge) {
    if (merge.inputs.empty()) fail("merges nothing into value " + std::to_string(merge.value));
    if (merge.pixels.empty() || !value(merge.value).pixels.contains(merge.pixels)) {
      fail("merges pixels " + text(merge.pixels) + " into value " + std::to_string(merge.value) + ", " +
           text(value(merge.value)));
    }
    Range gathered = value(merge.inputs.front().value).depth;
    std::int32_t stage = 0;
    for (std::size_t i = 0; i < merge.inputs.size(); ++i) {
      const Merge::Input input = merge.inputs[i];
      stage = std::max(stage, ready(input.value, merge.pixels));
      if (i == 0) continue;
      const Range depth = value(input.value).depth;
      const Range front = input.front ? depth : gathered;
      const Range back = input.front ? gathered : depth;
      if (!touch(front.end, back.begin)) {
        fail("merges depth " + text(front) + " in front of " + text(back) + ", which do not touch");
      }
      gathered = {front.begin, front.begin + front.size() + back.size()};
    }
    if (!same_depth(gathered, value(merge.value).depth)) {
      fail("merges depth " + text(gathered) + " into value " + std::to_string(merge.value) + ", " +
           text(value(merge.value)));
    }
    std::vector<Written>& parts = written_[static_cast<std::size_t>(merge.value)];
    for (const Written& part : parts) {
      if (!intersection(part.pixels, merge.pixels).empty()) {
        fail("writes pixels " + text(merge.pixels) + " of value " + std::to_string(merge.value) + " twice");
      }
    }
    parts.push_back({merge.pixels, stage});
  }

  void check(const Send& send) const {
    if (send.pixels.empty()) fail("sends no pixels to rank " + std::to_string(send.peer));
    // Ranks of one node read each other's images in place: one position must be the sender's own image.
    if (commutes_ && p_ > 1 && send.value != 0 && value(send.value).depth.size() == 1)
      fail("passes on the image of another rank to rank " + std::to_string(send.peer));
    const std::int32_t stage = ready(send.value, send.pixels);
    if (stage >= send.stage) {
      fail("sends in stage " + std::to_string(send.stage) + " what depends on stage " +
           std::to_string(stage));
    }
  }

  void check_result() const {
    if (program_.result < 0) return;
    const Fragment& result = value(program_.result);
    if (p_ > 1) (void)ready(program_.result, result.pixels);
    if (result.depth.size() != p_ || (!commutes_ && result.depth.begin != 0)) {
      fail("ends with " + text(result) + "; expected depth [0, " + std::to_string(p_) + ")");
    }
  }

  const Program& program_;
  std::int32_t p_;
  bool commutes_;
  std::vector<std::vector<Written>> written_;
};

// One end of a transfer; `number` counts the transfers from a source to a destination.
struct End {
  std::int32_t source;
  std::int32_t destination;
  std::int32_t number;
  std::int32_t stage;
  Fragment fragment;

  auto key() const {
    return std::make_tuple(source, destination, number, stage, fragment.pixels.begin, fragment.pixels.end,
                           fragment.depth.begin, fragment.depth.end);
  }
};

std::string text(const End& end) {
  return "rank " + std::to_string(end.source) + " to rank " + std::to_string(end.destination) + " in stage " +
         std::to_string(end.stage) + ", " + text(end.fragment);
}

// Numbers the ends of one program by peer, in the order of its lists.
class Numbering {
 public:
  explicit Numbering(std::int32_t p) : next_(static_cast<std::size_t>(p), 0) {}
  std::int32_t operator()(std::int32_t peer) { return next_[static_cast<std::size_t>(peer)]++; }

 private:
  std::vector<std::int32_t> next_;
};

void compare_ends(std::vector<End>& sends, std::vector<End>& receives) {
  const auto before = [](const End& a, const End& b) { return a.key() < b.key(); };
  std::sort(sends.begin(), sends.end(), before);
  std::sort(receives.begin(), receives.end(), before);
  const auto same = [](const End& a, const End& b) { return a.key() == b.key(); };
  const auto [send, receive] =
      std::mismatch(sends.begin(), sends.end(), receives.begin(), receives.end(), same);
  if (send == sends.end() && receive == receives.end()) return;
  if (receive == receives.end() || (send != sends.end() && before(*send, *receive))) {
    throw Error("schedule: nobody receives what is sent from " + text(*send));
  }
  throw Error("schedule: nobody sends what is received from " + text(*receive));
}

void check_partition(std::vector<std::pair<Range, std::int32_t>>& pieces, std::int64_t n) {
  std::sort(pieces.begin(), pieces.end(),
            [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
  std::int64_t next = 0;
  for (const auto& [pixels, rank] : pieces) {
    if (pixels.begin != next) {
      throw Error("schedule: the results do not partition the image: pixel " +
                  std::to_string(std::min(next, pixels.begin)) + " is held by " +
                  (pixels.begin > next ? "nobody" : "two ranks"));
    }
    next = pixels.end;
  }
  if (next != n)
    throw Error("schedule: the results do not partition the image: pixel " + std::to_string(next) +
                " is held by nobody");
}

// Each result must hold every image of every rank, as one layer.
void check_images(const DepthLayers& layers, const std::vector<std::pair<Range, std::int32_t>>& depths) {
  for (const auto& [depth, rank] : depths) {
    const DepthLayers::Count count = layers.of(depth);
    if (count.images == layers.images() && count.layers <= 1) continue;
    throw Error("schedule: rank " + std::to_string(rank) + " ends with " + std::to_string(count.images) +
                " images in " + std::to_string(count.layers) + " layers; expected " +
                std::to_string(layers.images()) + " in one");
  }
}

}  // namespace

void Schedule::verify(std::int32_t rank) const { check(program(rank)); }

// Check a program by itself.
void Schedule::check(const Program& program) const {
  ProgramCheck(program, *setting_).run(n(), setting_->order);
  const std::string who = "schedule: rank " + std::to_string(program.rank);
  const auto is_other = [&](std::int32_t peer) { return peer >= 0 && peer < p() && peer != program.rank; };
  for (const Send& send : program.sends)
    if (!is_other(send.peer)) throw Error(who + " sends to rank " + std::to_string(send.peer));
  for (const Receive& receive : program.receives)
    if (!is_other(receive.peer)) throw Error(who + " receives from rank " + std::to_string(receive.peer));
  const Range kept =
      program.result < 0 ? Range{} : program.values[static_cast<std::size_t>(program.result)].pixels;
  const Range expected = piece(program.rank);
  if (kept != expected) throw Error(who + " ends with pixels " + text(kept) + "; expected " + text(expected));
}

void Schedule::verify() const {
  std::vector<End> sends;
  std::vector<End> receives;
  std::vector<std::pair<Range, std::int32_t>> pieces;
  std::vector<std::pair<Range, std::int32_t>> depths;  // of the results
  std::vector<bool> depth_taken(static_cast<std::size_t>(p()), false);
  for (std::int32_t rank = 0; rank < p(); ++rank) {
    const Program program = this->program(rank);
    check(program);

    // Every rank's own image must have a unique depth position.
    const auto depth = static_cast<std::size_t>(program.values.front().depth.begin);
    if (depth >= depth_taken.size() || depth_taken[depth]) {
      throw Error("schedule: rank " + std::to_string(rank) + " shares depth position " +
                  std::to_string(depth));
    }
    depth_taken[depth] = true;

    Numbering next_send(p());
    for (const Send& send : program.sends) {
      const Fragment part{send.pixels, program.values[static_cast<std::size_t>(send.value)].depth};
      sends.push_back({rank, send.peer, next_send(send.peer), send.stage, part});
    }
    Numbering next_receive(p());
    for (const Receive& receive : program.receives) {
      receives.push_back({receive.peer, rank, next_receive(receive.peer), receive.stage,
                          program.values[static_cast<std::size_t>(receive.value)]});
    }
    if (piece(rank).empty()) continue;
    pieces.emplace_back(piece(rank), rank);
    depths.emplace_back(program.values[static_cast<std::size_t>(program.result)].depth, rank);
  }
  compare_ends(sends, receives);
  check_partition(pieces, n());
  check_images(DepthLayers(*this), depths);
}

}  // namespace sortlast
