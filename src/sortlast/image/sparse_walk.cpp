// How sparse links join, and which empty ones can be left out.
//
// A block covered by one run is read in place. A block covered in part is expanded in the first-level cache
// and blended like any other: blending run by run would need kernels for one or two pixels. A block of empty
// pixels (E below) should cost nothing; but E is not always neutral, and the result must have the same bits
// as with dense images. The effect of E on accumulated pixels g:
//
// over    In front of g, E gives 0 + (1 - 0) g: a -0 becomes +0 and every NaN the standard NaN. Behind g, it
//         gives g + (1 - a) 0 with a the alpha of g: unchanged if a <= 1; -0 stays if a > 1; all channels
//         become NaN if a is infinite or NaN. Both are idempotent, they commute with each other, and E op E
//         is E. In a row of consecutive empty links, one per side is therefore enough, and at the beginning
//         of the chain the first one. The next link then joins this E, which changes the link like one more E
//         from the other side. E in front of g changes nothing if g holds no -0 and no NaN but the standard
//         one (g is E itself, or E was put in front of it). This stays true when links join from the back,
//         because a sum is -0 only if both terms are. No more can be left out: alphas above 1 can make the
//         sign of a zero depend on every row.
// add     g + 0: a -0 becomes +0, which no later sum changes back, and every NaN the standard NaN. One E
//         anywhere has the effect of many.
// max, min, nearest depth   One E anywhere, because they are associative, commutative and idempotent.
// closest A selection by depth and then by position: among equal pixels only the frontmost is visible, so
//         the frontmost E replaces all others.
//
// A single E joins in the cache and costs little. A row of many, as in a chain of images that hardly overlap,
// costs as much as one.
#include "sortlast/image/blocks.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>

#include "sortlast/image/active.hpp"

namespace sortlast {
namespace {

std::int64_t end_of(const ActiveRun& run) { return std::int64_t{run.begin} + run.count; }

}  // namespace

RunCursor::RunCursor(std::span<const ActiveRun> runs, std::int64_t first) : runs_(runs), begin_(first) {
  const auto next = std::partition_point(runs.begin(), runs.end(),
                                         [=](const ActiveRun& run) { return end_of(run) <= first; });
  next_ = static_cast<std::size_t>(next - runs.begin());
}

std::int64_t RunCursor::move(std::int64_t begin) {
  begin_ = begin;
  while (next_ < runs_.size() && end_of(runs_[next_]) <= begin) ++next_;
  if (next_ == runs_.size()) return std::numeric_limits<std::int64_t>::max();
  return runs_[next_].begin <= begin ? end_of(runs_[next_]) : runs_[next_].begin;
}

Cover RunCursor::cover(std::int64_t end) const {
  if (next_ == runs_.size() || runs_[next_].begin >= end) return Cover::none;
  return runs_[next_].begin <= begin_ && end_of(runs_[next_]) >= end ? Cover::all : Cover::some;
}

// Most runs of scattered pixels are so short that a branch on their length costs more than the copy. Copy a
// piece of fixed size instead, and overwrite the excess with empty pixels; the next run comes later.
template <std::size_t bytes, class Clear>
void RunCursor::copy_runs(const std::byte* stored, std::int64_t end, std::byte* plane, Clear clear) const {
  constexpr std::size_t piece = bytes <= 8 ? 32 : 64;
  static_assert(piece <= open_slack);
  const std::size_t stored_end = (std::size_t{runs_.back().at} + runs_.back().count) * bytes;
  for (std::size_t r = next_; r < runs_.size() && runs_[r].begin < end; ++r) {
    const ActiveRun& run = runs_[r];
    const std::int64_t from = std::max<std::int64_t>(run.begin, begin_);
    const auto length = static_cast<std::size_t>(std::min(end_of(run), end) - from) * bytes;
    const auto at = static_cast<std::size_t>(run.at + (from - run.begin)) * bytes;
    std::byte* const to = plane + static_cast<std::size_t>(from - begin_) * bytes;
    if (length <= piece && at + piece <= stored_end) {
      std::memcpy(to, stored + at, piece);
      clear(to + length, piece);
    } else {
      std::memcpy(to, stored + at, length);
    }
  }
}

void RunCursor::open(const Format& format, ConstPixels stored, std::int64_t end, std::byte* colour,
                     std::byte* depth) const {
  const auto pixels = static_cast<std::size_t>(end - begin_);
  std::memset(colour, 0, pixels * format.colour_bytes());
  with_colour_bytes(format.colour_bytes(), [&](auto bytes) {
    copy_runs<bytes>(stored.colour, end, colour,
                     [](std::byte* to, std::size_t length) { std::memset(to, 0, length); });
  });
  if (!format.depth) return;
  const auto clear = [](std::byte* to, std::size_t length) {
    std::fill_n(reinterpret_cast<float*>(to), length / sizeof(float), std::numeric_limits<float>::infinity());
  };
  clear(depth, pixels * sizeof(float));
  copy_runs<sizeof(float)>(reinterpret_cast<const std::byte*>(stored.depth), end, depth, clear);
}

SparseWalk::SparseWalk(Op op, int channels, bool depth, std::span<const Link> chain)
    : op_(op), channels_(channels), depth_(depth), chain_(chain), parts_(chain.size()) {
  cursors_.reserve(chain.size());
  for (const Link& link : chain) cursors_.emplace_back(link.runs, link.first);
}

std::int64_t SparseWalk::block(Gathering& gathering, std::int64_t begin, std::int64_t most) {
  // Determine what the links hold in the block.
  const std::int64_t end = end_of_block(begin, most);
  const auto pixels = static_cast<std::size_t>(end - begin);
  for (std::size_t k = 0; k < chain_.size(); ++k) parts_[k] = part(k, end);
  const auto empty = std::count(parts_.begin(), parts_.end(), Part::empty);
  if (empty == std::ssize(parts_)) {
    gathering.clear(begin, pixels);
    return end;
  }

  // Leave out links that others replace.
  if (empty > 0) {
    if (op_ == Op::over)
      choose_over();
    else
      keep_one(representative());
  }

  // Join the other links.
  gathering.begin(begin, pixels);
  std::size_t room = 0;
  for (std::size_t k = 0; k < chain_.size(); ++k) {
    if (parts_[k] == Part::left_out) continue;
    const Link& link = chain_[k];
    if (parts_[k] == Part::empty)
      gathering.join_empty(link.side);
    else if (parts_[k] == Part::opened)
      gathering.join(opened(k, end, rooms_[room++ % std::size(rooms_)]));
    else
      gathering.join(piece_of(link, channels_, depth_, link.sparse ? cursors_[k].stored() : begin));
  }
  gathering.end();
  return end;
}

// End the block at the end of a long run or gap of a link, so that the link's blocks need not be expanded,
// unless this would make the block much shorter than the others.
std::int64_t SparseWalk::end_of_block(std::int64_t begin, std::int64_t most) {
  constexpr std::int64_t least = block_pixels / 4;
  std::int64_t pixels = most;
  for (std::size_t k = 0; k < chain_.size(); ++k) {
    if (!chain_[k].sparse) continue;
    const std::int64_t from = chain_[k].first + begin;
    const std::int64_t same = cursors_[k].move(from) - from;
    if (same >= least) pixels = std::min(pixels, same);
  }
  return begin + pixels;
}

SparseWalk::Part SparseWalk::part(std::size_t k, std::int64_t end) const {
  if (!chain_[k].sparse) return Part::lying;
  const Cover cover = cursors_[k].cover(chain_[k].first + end);
  return cover == Cover::none ? Part::empty : cover == Cover::all ? Part::lying : Part::opened;
}

// In each row of empty links keep the first from each side, and the front one only if the accumulated pixels
// may hold a -0 or a nonstandard NaN. In a row at the beginning keep the first.
void SparseWalk::choose_over() {
  bool only_empty = true;
  bool clean = false;   // an empty link in front changes nothing
  bool behind = false;  // an empty link behind changes nothing
  for (std::size_t k = 0; k < chain_.size(); ++k) {
    const bool front = chain_[k].side == Side::front;
    if (parts_[k] != Part::empty) {
      clean = clean && !front;
      behind = only_empty && k > 0 && front;
      only_empty = false;
    } else if (k == 0) {
      clean = behind = true;
    } else {
      bool& neutral = front ? clean : behind;
      if (neutral) parts_[k] = Part::left_out;
      neutral = true;
    }
  }
}

void SparseWalk::keep_one(std::size_t kept) {
  for (std::size_t k = 0; k < chain_.size(); ++k)
    if (parts_[k] == Part::empty && k != kept) parts_[k] = Part::left_out;
}

// The empty link that replaces all others: for closest, the frontmost one, which is the last that joins from
// the front or else the first of all; for the other operators, any.
std::size_t SparseWalk::representative() const {
  for (std::size_t k = chain_.size(); op_ == Op::closest && k-- > 1;)
    if (parts_[k] == Part::empty && chain_[k].side == Side::front) return k;
  return static_cast<std::size_t>(std::find(parts_.begin(), parts_.end(), Part::empty) - parts_.begin());
}

Piece SparseWalk::opened(std::size_t k, std::int64_t end, Room& into) {
  const Link& link = chain_[k];
  cursors_[k].open({link.scalar, channels_, depth_}, link.pixels, link.first + end, into.colour, into.depth);
  return {into.colour, into.depth, link.scalar, link.side};
}

}  // namespace sortlast
