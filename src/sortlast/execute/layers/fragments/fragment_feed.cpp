// Fragment feed.
#include "sortlast/execute/layers/fragments/fragment_feed.hpp"

#include <array>

namespace sortlast {
namespace {

constexpr std::size_t colour_span = 0;
constexpr std::size_t depth_span = 1;

}  // namespace

std::size_t published_fragments(const PeerSpans& peers, std::uint32_t rank) {
  const auto of = static_cast<std::int32_t>(rank);
  return peers.count(of) == 0 ? 0 : peers.bytes(of, depth_span) / sizeof(float);
}

// Point to the next colours and depths where they lie, or copy them into the room.
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
    some.further += passed_ * some.further_bytes;
    if (some.ranks != nullptr) some.ranks += passed_ * some.rank_bytes;
  }
  passed_ += some.size;
  return some;
}

}  // namespace sortlast
