// Fragment lists.
#include "sortlast/content/fragments/fragment_lists.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace sortlast {
namespace {

// Whether the lists of `pixels` pixels, each with `count` fragments, are in order. A decrease in depth either
// lies between two pixels or breaks the order: count all decreases, and separately those at pixel boundaries.
bool run_in_order(const std::byte* depth, std::uint32_t count, std::size_t pixels) {
  const std::size_t fragments = count * pixels;
  const auto step_back = [&](std::size_t i) -> std::size_t {
    const std::byte* const at = depth + i * sizeof(float);
    return load_depth(at) <= load_depth(at + sizeof(float)) ? 0 : 1;
  };
  std::size_t all = 0;
  for (std::size_t i = 0; i + 1 < fragments; ++i) all += step_back(i);
  std::size_t between = 0;
  for (std::size_t i = count; i < fragments; i += count) between += step_back(i - 1);
  return all == between;
}

}  // namespace

bool in_order(const FragmentLists& lists) {
  const std::byte* depth = lists.depth;
  for (const CountRun& run : lists.runs) {
    if (run.count > 1 && !run_in_order(depth, run.count, run.pixels)) return false;
    depth += sizeof(float) * run.count * run.pixels;
  }
  return true;
}

void sort_pixel(const FragmentLists& lists, std::size_t first, std::size_t count,
                std::vector<std::size_t>& order) {
  constexpr std::size_t few = 32;  // most lists are short
  const auto key = [&](std::size_t i) { return depth_key(load_depth(lists.depth + i * sizeof(float))); };
  const auto nearer = [&](std::size_t a, std::size_t b) { return key(a) < key(b); };
  order.resize(count);
  std::iota(order.begin(), order.end(), first);
  if (count > few) {
    std::stable_sort(order.begin(), order.end(), nearer);
    return;
  }
  for (std::size_t i = 1; i < count; ++i)
    for (std::size_t at = i; at > 0 && nearer(order[at], order[at - 1]); --at)
      std::swap(order[at], order[at - 1]);
}

FragmentLists put_in_order(const FragmentLists& lists, ListRoom& room) {
  if (in_order(lists)) return lists;
  Bytes colour;
  Bytes depth;
  Bytes extras;
  const std::size_t each = colour_bytes(lists.scalar);
  std::byte* to_colour = colour.grow(lists.size * each);
  std::byte* to_depth = depth.grow(lists.size * sizeof(float));
  std::byte* to_extras = extras.grow(lists.size * lists.extra_bytes);
  std::vector<std::size_t> order;
  std::size_t first = 0;
  for (RunReader runs(lists.runs); first < lists.size; runs.pass(1)) {
    sort_pixel(lists, first, runs.count(), order);
    first += runs.count();
    for (const std::size_t from : order) {
      std::memcpy(to_colour, lists.colour_at(from), each);
      std::memcpy(to_depth, lists.depth + from * sizeof(float), sizeof(float));
      if (lists.extra_bytes > 0) std::memcpy(to_extras, lists.extras_at(from), lists.extra_bytes);
      to_colour += each;
      to_depth += sizeof(float);
      to_extras += lists.extra_bytes;
    }
  }
  room.colour = std::move(colour);
  room.depth = std::move(depth);
  room.extras = std::move(extras);
  FragmentLists ordered = lists;
  ordered.colour = room.colour.data();
  ordered.depth = room.depth.data();
  ordered.extras = room.extras.data();
  return ordered;
}

// ---- Lists, a few pixels at a time -----------------------------------------------------------------

namespace {

constexpr std::size_t colour_span = 0;
constexpr std::size_t depth_span = 1;

}  // namespace

std::size_t published_fragments(const PeerSpans& peers, std::uint32_t rank) {
  const auto of = static_cast<std::int32_t>(rank);
  return peers.count(of) == 0 ? 0 : peers.bytes(of, depth_span) / sizeof(float);
}

// Point to the next colours and depths in place, or copy them into `room_`.
void FragmentFeed::read_published(FragmentLists& some) {
  const auto rank = static_cast<std::int32_t>(some.rank);
  std::array<PeerSpans::Copy, 2> copies;
  std::size_t copied = 0;
  const auto find = [&](std::size_t span, std::size_t each, Bytes& room) -> const std::byte* {
    const std::size_t first = (lists_.first + passed_) * each;
    const std::byte* const in_place = peers_->in_place(rank, span);
    if (in_place != nullptr) return in_place + first;
    room.shrink(0);
    const std::size_t bytes = some.size * each;
    copies[copied++] = {span, first, bytes, room.grow(bytes)};
    return room.data();
  };
  some.colour = find(colour_span, colour_bytes(some.scalar), room_.colour);
  some.depth = find(depth_span, sizeof(float), room_.depth);
  if (copied > 0) peers_->copy(rank, std::span(copies).first(copied));
}

FragmentLists FragmentFeed::next(std::size_t pixels) {
  room_.runs.clear();
  FragmentLists some = lists_;
  some.size = runs_.pass_each(
      pixels, [this](std::uint32_t count, std::size_t of) { add_run(room_.runs, count, of); });
  some.runs = room_.runs;
  if (lists_.refers()) {
    read_published(some);
  } else {
    some.colour = lists_.colour_at(passed_);
    some.depth += passed_ * sizeof(float);
    some.extras += passed_ * some.extra_bytes;
    if (some.ranks != nullptr) some.ranks += passed_ * some.rank_bytes;
  }
  passed_ += some.size;
  return some;
}

}  // namespace sortlast
