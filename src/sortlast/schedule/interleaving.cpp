// Interleaving: maps the pixels of a schedule to pixels of the image.
#include "sortlast/schedule/interleaving.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

constexpr std::int64_t wanted_blocks = 8;  // per hand

}  // namespace

Interleaving::Interleaving(std::int64_t n, std::int32_t hands) : n_(n), hands_(hands) {
  std::int64_t block = most_block;
  while (block > least_block && n < wanted_blocks * hands_ * block) block /= 2;
  if (hands_ > 1 && n > (2 * hands_ - 1) * block)  // at least two blocks per hand
    block_ = block;
  else
    *this = {};
}

// Number of blocks in the hands before this one.
std::int64_t Interleaving::blocks_before(std::int64_t hand) const {
  const std::int64_t blocks = (n_ + block_ - 1) / block_;
  return hand * (blocks / hands_) + std::min(hand, blocks % hands_);
}

Range Interleaving::run(Range pixels) const {
  if (none()) return pixels;

  // Count as if the image's last block, which is the last of its hand, were complete.
  const std::int64_t blocks = (n_ + block_ - 1) / block_;
  const std::int64_t missing = blocks * block_ - n_;
  const std::int64_t short_end = blocks_before((blocks - 1) % hands_ + 1) * block_ - missing;
  const std::int64_t at = pixels.begin < short_end ? pixels.begin : pixels.begin + missing;

  // Find the hand (the first ones may have one more block) and the card.
  const std::int64_t place = at / block_;
  const std::int64_t least = blocks / hands_;
  const std::int64_t longer = blocks % hands_;
  const bool in_longer = place < longer * (least + 1);
  const std::int64_t hand = in_longer ? place / (least + 1) : longer + (place - longer * (least + 1)) / least;
  const std::int64_t card = place - blocks_before(hand);
  const std::int64_t block = hand + card * hands_;

  const std::int64_t begin = block * block_ + at % block_;
  const std::int64_t end = std::min((block + 1) * block_, n_);
  return {begin, std::min(end, begin + pixels.size())};
}

std::vector<Range> Interleaving::ranges(Range pixels) const {
  std::vector<Range> all;
  while (!pixels.empty()) {
    all.push_back(run(pixels));
    pixels.begin += all.back().size();
  }
  return all;
}

}  // namespace sortlast
