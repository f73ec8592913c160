// BoxImages.
//
// An image contributes nothing outside its box, and costs what its box has in the string's pixels.
//
// Runs that overlap become one where that takes less room, and where no pixels of another image come between
// them: one whose box holds none of theirs is no obstacle. All boxes are known to every rank, so a rank needs
// nobody's images to find that out. Blended runs keep the scalar of accumulators (float32 but for closest),
// so that the whole chain of images of a pixel is rounded once, at the end. Images of uint8 are a quarter of
// that, so blending them early seldom takes less room, and they travel as they are.
//
// At the end the runs are blended front to back into a block of accumulators that stays in the cache, each
// over its own pixels alone. Cutting the pixels where runs begin and end instead, to blend all runs of a
// piece in one pass, would make pieces of a pixel or two where hundreds of boxes cross a row. closest goes
// back to front: the accumulators then begin with a depth of NaN, behind any image's, and ties go to the
// front as they should.
#include "sortlast/execute/layers/box_images.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>

#include "sortlast/execute/layers/box_groups.hpp"
#include "sortlast/image/active.hpp"

namespace sortlast {
namespace {

using Place = BoxTable::Place;

constexpr std::int64_t block_pixels = 1024;  // of accumulators
constexpr double most_active = 0.8;          // of images whose empty pixels are left out

}  // namespace

BoxImages::BoxImages(BoxFrame frame, std::int32_t rank, std::span<const ConstPixels> images)
    : frame_(std::move(frame)), stored_{frame_.format, frame_.format} {
  stored_.accumulator.scalar = accumulator_scalar(frame_.format.scalar, frame_.op);
  for (std::size_t place = 0; place < table().size(); ++place) {
    const PlacedBox& placed = table().at(static_cast<Place>(place));
    if (placed.rank != rank) continue;
    const ConstPixels pixels = images[static_cast<std::size_t>(placed.index)];
    const std::int64_t n = (placed.box.x1 - placed.box.x0) * (placed.box.y1 - placed.box.y0);
    const bool sparse = leaves_out_empty() && n > 0 && n <= most_counted &&
                        sample_active(frame_.format, pixels, 0, n) <= most_active;
    own_.push_back({static_cast<Place>(place), pixels, sparse});
  }
}

const BoxImages::Own* BoxImages::own(Place place) const {
  const auto found = std::lower_bound(own_.begin(), own_.end(), place,
                                      [](const Own& each, Place wanted) { return each.place < wanted; });
  return found != own_.end() && found->place == place ? &*found : nullptr;
}

// An empty pixel is as good as none, but where a colour of 0 is above or below what the others have.
bool BoxImages::leaves_out_empty() const {
  if (!frame_.sparse || frame_.op == Op::min) return false;
  return frame_.op != Op::max || frame_.format.scalar == Scalar::uint8;
}

// ---- Runs -----------------------------------------------------------------------------------------

// Append the runs of this rank's images among the pixels: rows of the boxes, or what is active of them.
void BoxImages::list_own(Range pixels, bool active_only, std::vector<BoxRun>& runs) const {
  const std::int64_t width = table().frame().width;
  std::vector<ActiveRun> active;
  for (const Place place : table().meeting(pixels)) {
    const Own* const image = own(place);
    if (image == nullptr) continue;
    const Rectangle& box = table().at(place).box;
    const std::int64_t columns = box.x1 - box.x0;
    const auto add = [&](Range part, std::int64_t stored) {
      runs.push_back({part, place, place, false, advance(image->pixels, frame_.format, stored)});
    };
    // Rows that fill the frame's width lie one behind the other.
    const std::int64_t rows_at_once = columns == width ? box.y1 - box.y0 : 1;
    const std::int64_t first = columns == width ? box.y0 : std::max(box.y0, pixels.begin / width);
    for (std::int64_t row = first; row < box.y1 && row * width < pixels.end; row += rows_at_once) {
      const std::int64_t origin = row * width + box.x0;  // in the frame, of the image's pixel `stored`
      const std::int64_t stored = (row - box.y0) * columns;
      const Range part = intersection({origin, origin + rows_at_once * columns}, pixels);
      if (part.empty()) continue;
      const std::int64_t begin = stored + part.begin - origin;
      if (!active_only || !image->sparse) {
        add(part, begin);
        continue;
      }
      active.clear();
      append_active(frame_.format, image->pixels, begin, begin + part.size(), active);
      for (const ActiveRun& run : active) {
        const std::int64_t at = origin + run.begin - stored;
        add({at, at + run.count}, run.begin);
      }
    }
  }
}

// ---- Blending -------------------------------------------------------------------------------------

// Blend runs, sorted front to back, into accumulators of the pixels; those of no run have what changes
// nothing when blended.
void BoxImages::blend_runs(std::span<const BoxRun* const> runs, Range pixels, Pixels out) const {
  const Op op = frame_.op;
  const bool depth = stored_.accumulator.depth;
  fill_identity(op, stored_.accumulator, out, pixels.size());
  if (op == Op::closest) std::fill_n(out.depth, pixels.size(), std::numeric_limits<float>::quiet_NaN());
  const auto join = [&](const BoxRun& run, Side side) {
    const Range part = intersection(run.pixels, pixels);
    const Format& stored = stored_.of(run.blended);
    const Pixels to = advance(out, stored_.accumulator, part.begin - pixels.begin);
    const ConstPixels from = advance(run.stored, stored, part.begin - run.pixels.begin);
    const std::array chain{Link{to, stored_.accumulator.scalar, Side::back}, Link{from, stored.scalar, side}};
    blend(op, stored_.accumulator.channels, depth, chain, to, stored_.accumulator.scalar, part.size());
  };
  if (op == Op::closest) {
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) join(**run, Side::front);
  } else {
    for (const BoxRun* run : runs) join(*run, Side::back);
  }
}

// Append a group: blended, if that takes less room than its runs.
void BoxImages::append(std::span<const BoxRun> group, Range pixels, Bytes& out) const {
  BoxRun all{group.front().pixels, group.front().first, group.back().last, true, {}};
  std::size_t bytes = 0;
  for (const BoxRun& run : group) {
    all.pixels = {std::min(all.pixels.begin, run.pixels.begin), std::max(all.pixels.end, run.pixels.end)};
    bytes += stored_.bytes(run.blended, run.pixels.size());
  }
  if (group.size() == 1 || stored_.bytes(true, all.pixels.size()) >= bytes) {
    for (const BoxRun& run : group) append_run(stored_, run, pixels, out);
    return;
  }
  std::vector<const BoxRun*> runs;
  for (const BoxRun& run : group) runs.push_back(&run);
  blend_runs(runs, all.pixels, append_blended(stored_, all, pixels, out));
}

// Append runs, in any order, with those blended that can be.
void BoxImages::merge(std::vector<BoxRun>& runs, Range pixels, Bytes& out) const {
  check_string_pixels(pixels);
  sort_by_place(runs);
  for (const std::vector<BoxRun>& group : group_runs(table(), runs, pixels)) append(group, pixels, out);
}

// ---- The content ----------------------------------------------------------------------------------

void BoxImages::encode_own(Range pixels, Bytes& out) const {
  std::vector<BoxRun> runs;
  list_own(pixels, true, runs);
  merge(runs, pixels, out);
}

void BoxImages::join(std::span<const String> strings, Range pixels, Bytes& out) const {
  std::vector<BoxRun> runs;
  for (const String string : strings) {
    const std::vector<BoxRun> some = parse_runs(stored_, string, pixels, table().size());
    runs.insert(runs.end(), some.begin(), some.end());
  }
  merge(runs, pixels, out);
}

void BoxImages::cut(String string, Range from, Range pixels, Bytes& out) const {
  for (BoxRun run : parse_runs(stored_, string, from, table().size())) {
    const Range part = intersection(run.pixels, pixels);
    if (part.empty()) continue;
    run.stored = advance(run.stored, stored_.of(run.blended), part.begin - run.pixels.begin);
    run.pixels = part;
    append_run(stored_, run, pixels, out);
  }
}

namespace {

// Which runs have pixels in each block of pixels, front to back.
std::vector<std::vector<const BoxRun*>> by_block(const std::vector<BoxRun>& runs, Range pixels) {
  std::vector<std::vector<const BoxRun*>> blocks(
      static_cast<std::size_t>((pixels.size() + block_pixels - 1) / block_pixels));
  for (const BoxRun& run : runs) {
    const std::int64_t last = (run.pixels.end - 1 - pixels.begin) / block_pixels;
    for (std::int64_t block = (run.pixels.begin - pixels.begin) / block_pixels; block <= last; ++block)
      blocks[static_cast<std::size_t>(block)].push_back(&run);
  }
  return blocks;
}

// The pixels of a block that are of no run.
std::vector<Range> uncovered(std::span<const BoxRun* const> runs, Range pixels) {
  std::vector<bool> covered(static_cast<std::size_t>(pixels.size()), false);
  for (const BoxRun* run : runs) {
    const Range part = intersection(run->pixels, pixels);
    std::fill_n(covered.begin() + (part.begin - pixels.begin), part.size(), true);
  }
  std::vector<Range> ranges;
  for (auto at = covered.begin(); at != covered.end();) {
    const auto begin = std::find(at, covered.end(), false);
    at = std::find(begin, covered.end(), true);
    if (begin != at) ranges.push_back({begin - covered.begin(), at - covered.begin()});
  }
  return ranges;
}

}  // namespace

void BoxImages::finish(std::span<const String> strings, bool own, Range pixels, Pixels out,
                       Bytes* /*joined*/) const {
  // List all runs, front to back.
  std::vector<BoxRun> runs;
  if (own) list_own(pixels, false, runs);
  for (const String string : strings) {
    const std::vector<BoxRun> some = parse_runs(stored_, string, pixels, table().size());
    runs.insert(runs.end(), some.begin(), some.end());
  }
  sort_by_place(runs);

  // Blend them block by block, and round.
  const Format& format = frame_.format;
  Bytes memory;
  const std::size_t colours = padded_colour_bytes(stored_.accumulator, block_pixels);
  std::byte* const room = memory.grow(colours + padded_depth_bytes(stored_.accumulator, block_pixels));
  const Pixels block{room, format.depth ? reinterpret_cast<float*>(room + colours) : nullptr};
  const bool in_place = stored_.accumulator == format;
  std::int64_t begin = pixels.begin;
  for (const std::vector<const BoxRun*>& some : by_block(runs, pixels)) {
    const Range part{begin, std::min(begin + block_pixels, pixels.end)};
    const Pixels to = advance(out, format, part.begin - pixels.begin);
    begin = part.end;
    const bool behind = frame_.background.has_value();
    if (some.empty()) {
      fill_absent(frame_.op, format, behind, to, part.size());
    } else {
      blend_runs(some, part, in_place ? to : block);
      if (!in_place) {
        const std::array chain{Link{block, stored_.accumulator.scalar, Side::back}};
        blend(frame_.op, format.channels, format.depth, chain, to, format.scalar, part.size());
      }
      for (const Range& hole : uncovered(some, part))
        fill_absent(frame_.op, format, behind, advance(to, format, hole.begin), hole.size());
    }
    if (behind) frame_.background->apply(to, part.size());
  }
}

}  // namespace sortlast
