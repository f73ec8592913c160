// Sweep.
#include "sortlast/content/pixels/sweep.hpp"

#include <algorithm>
#include <utility>

namespace sortlast {
namespace {

constexpr std::int64_t least_share = 2048;  // minimum pixels for which waking a thread pays

// The blocks of a thread together should fit in its core's cache, but a kernel call costs as much as blending
// a few pixels.
constexpr std::size_t blocks_bytes = std::size_t{1} << 18;
constexpr std::int64_t least_block = 256;  // pixels
constexpr std::int64_t most_block = 1024;

std::int64_t block_pixels(const Format& made, std::size_t most) {
  const std::size_t pixels = blocks_bytes / std::max(most, std::size_t{1}) / made.pixel_bytes();
  return std::clamp(static_cast<std::int64_t>(pixels) / least_block * least_block, least_block, most_block);
}

// The part of a link from its pixel `first` on.
Link from_pixel(const Link& link, Format format, std::int64_t first) {
  Link rest = link;
  format.scalar = link.scalar;
  if (link.sparse) {
    rest.first += first;
  } else {
    rest.pixels = advance(link.pixels, format, first);
  }
  return rest;
}

}  // namespace

Sweep::Sweep(Team& team, Pool& pool, Op op, const Format& made, std::size_t most)
    : team_(team),
      pool_(pool),
      op_(op),
      made_(made),
      block_(block_pixels(made, most)),
      taken_(most),
      places_(most * static_cast<std::size_t>(team.size())),
      chains_(static_cast<std::size_t>(team.size())) {}

void Sweep::begin() {
  stack_.clear();
  operands_.clear();
  steps_.clear();
  std::fill(taken_.begin(), taken_.end(), false);
}

void Sweep::join(std::size_t count, Side side) {
  // The kernel may write over its first operand, but not over any other.
  std::size_t place = stack_[stack_.size() - count].place;
  if (place == none)
    place = static_cast<std::size_t>(std::find(taken_.begin(), taken_.end(), false) - taken_.begin());
  end_step(count, place);
  taken_[place] = true;
  stack_.push_back({{{}, made_.scalar, side}, place});
}

// Combine the last `count` operands into `place`. They are not needed any more.
void Sweep::end_step(std::size_t count, std::size_t place) {
  const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
  for (auto operand = first; operand != stack_.end(); ++operand)
    if (operand->place != none) taken_[operand->place] = false;
  steps_.push_back({operands_.size(), operands_.size() + count, place});
  operands_.insert(operands_.end(), first, stack_.end());
  stack_.erase(first, stack_.end());
}

void Sweep::blend(Pixels out, Scalar scalar, std::int64_t n, const Background* background, Stores stores) {
  end_step(stack_.size(), none);
  if (steps_.size() > 1) make_room();
  const Output output{out, scalar, background, stores};
  if (team_.size() == 1 || n < least_share * team_.size()) {
    blend_part(output, {0, n}, 0);
    return;
  }
  team_.run([&](int number) {
    blend_part(output, piece_of(n, team_.size(), number), static_cast<std::size_t>(number));
  });
}

void Sweep::make_room() {
  if (memory_) return;
  constexpr std::size_t line = 64;
  const std::size_t bytes = (PixelBuffer::bytes(made_, block_) + line - 1) / line * line;
  memory_ = pool_.take(bytes * places_.size());
  for (std::size_t i = 0; i < places_.size(); ++i)
    places_[i] = PixelBuffer(Memory(memory_, memory_.get() + i * bytes), made_, block_).view();
}

void Sweep::blend_part(const Output& out, Range part, std::size_t thread) {
  const std::int64_t step = steps_.size() > 1 ? block_ : part.size();
  const Pixels* const places = places_.data() + thread * taken_.size();
  std::vector<Link> chain = std::move(chains_[thread]);  // a local copy avoids false sharing
  for (std::int64_t first = part.begin; first < part.end; first += step)
    blend_block(out, {first, std::min(first + step, part.end)}, places, chain);
  chains_[thread] = std::move(chain);
}

void Sweep::blend_block(const Output& out, Range block, const Pixels* places, std::vector<Link>& chain) {
  Format out_format = made_;
  out_format.scalar = out.scalar;
  for (const Step& step : steps_) {
    chain.clear();
    for (std::size_t i = step.first; i < step.end; ++i) {
      const auto& [link, place] = operands_[i];
      chain.push_back(place == none ? from_pixel(link, made_, block.begin)
                                    : Link{places[place], made_.scalar, link.side});
    }
    if (step.place != none) {
      sortlast::blend(op_, made_.channels, made_.depth, chain, places[step.place], made_.scalar,
                      block.size());
    } else {
      sortlast::blend(op_, made_.channels, made_.depth, chain, advance(out.pixels, out_format, block.begin),
                      out.scalar, block.size(), out.background, out.stores);
    }
  }
}

}  // namespace sortlast
