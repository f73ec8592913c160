// BoxImages.
//
// A string lists runs of pixels: a header and the pixels, colours and then depths, each padded to 8 bytes.
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
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/image/active.hpp"

namespace sortlast {
namespace {

using Place = BoxTable::Place;

constexpr std::int64_t block_pixels = 1024;       // of accumulators
constexpr double most_active = 0.8;               // of images whose empty pixels are left out
constexpr std::uint32_t blended_bit = 1U << 31U;  // of a header's count
constexpr std::size_t alignment = 8;              // of all that a string holds

struct Header {
  std::uint32_t begin = 0;  // counted from the string's first pixel
  std::uint32_t count = 0;  // of pixels, and whether they were blended
  Place first = 0;
  Place last = 0;
};
static_assert(sizeof(Header) % alignment == 0);

std::size_t padded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

std::size_t colour_bytes(const Format& format, std::int64_t pixels) {
  return padded(static_cast<std::size_t>(pixels) * format.colour_bytes());
}
std::size_t depth_bytes(const Format& format, std::int64_t pixels) {
  return format.depth ? padded(static_cast<std::size_t>(pixels) * sizeof(float)) : 0;
}
std::size_t run_bytes(const Format& format, std::int64_t pixels) {
  return sizeof(Header) + colour_bytes(format, pixels) + depth_bytes(format, pixels);
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error("images of another rank came damaged: " + what);
}

void sort_by_place(std::vector<BoxRun>& runs) {
  std::sort(runs.begin(), runs.end(), [](const BoxRun& a, const BoxRun& b) {
    return std::tie(a.first, a.pixels.begin) < std::tie(b.first, b.pixels.begin);
  });
}

}  // namespace

BoxImages::BoxImages(BoxFrame frame, std::int32_t rank, std::span<const ConstPixels> images)
    : frame_(std::move(frame)), accumulator_(frame_.format) {
  accumulator_.scalar = accumulator_scalar(frame_.format.scalar, frame_.op);
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

std::vector<BoxRun> BoxImages::parse(String string, Range pixels) const {
  if (reinterpret_cast<std::uintptr_t>(string.data()) % alignment != 0) refuse("they are not aligned");
  std::vector<BoxRun> runs;
  while (!string.empty()) {
    Header header;
    if (string.size() < sizeof header) refuse("they end within a header");
    std::memcpy(&header, string.data(), sizeof header);
    const bool blended = (header.count & blended_bit) != 0;
    const std::int64_t count = header.count & ~blended_bit;
    const Format& format = stored_format(blended);
    const Range part{pixels.begin + header.begin, pixels.begin + header.begin + count};
    if (count == 0 || part.end > pixels.end) refuse("they have pixels beyond those that they should be of");
    if (header.first > header.last || header.last >= table().size())
      refuse("they are at a place in depth that no image has");
    if (run_bytes(format, count) > string.size()) refuse("they end within a run of pixels");
    const std::byte* const colour = string.data() + sizeof header;
    const auto* const depth = reinterpret_cast<const float*>(colour + colour_bytes(format, count));
    runs.push_back({part, header.first, header.last, blended, {colour, format.depth ? depth : nullptr}});
    string = string.subspan(run_bytes(format, count));
  }
  return runs;
}

void BoxImages::append(const BoxRun& run, Range pixels, Bytes& out) const {
  const Format& format = stored_format(run.blended);
  const std::int64_t count = run.pixels.size();
  const Header header{static_cast<std::uint32_t>(run.pixels.begin - pixels.begin),
                      static_cast<std::uint32_t>(count) | (run.blended ? blended_bit : 0), run.first,
                      run.last};
  out.append_value(header);
  const std::size_t colours = static_cast<std::size_t>(count) * format.colour_bytes();
  std::byte* const to = out.grow(colour_bytes(format, count) + depth_bytes(format, count));
  std::memcpy(to, run.stored.colour, colours);
  std::memset(to + colours, 0, colour_bytes(format, count) - colours);
  if (!format.depth) return;
  std::byte* const depths = to + colour_bytes(format, count);
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float);
  std::memcpy(depths, run.stored.depth, bytes);
  std::memset(depths + bytes, 0, depth_bytes(format, count) - bytes);
}

// ---- Blending -------------------------------------------------------------------------------------

// Blend runs, sorted front to back, into accumulators of the pixels; those of no run have what changes
// nothing when blended.
void BoxImages::blend_runs(std::span<const BoxRun* const> runs, Range pixels, Pixels out) const {
  const Op op = frame_.op;
  const bool depth = accumulator_.depth;
  fill_identity(op, accumulator_, out, pixels.size());
  if (op == Op::closest) std::fill_n(out.depth, pixels.size(), std::numeric_limits<float>::quiet_NaN());
  const auto join = [&](const BoxRun& run, Side side) {
    const Range part = intersection(run.pixels, pixels);
    const Format& stored = stored_format(run.blended);
    const Pixels to = advance(out, accumulator_, part.begin - pixels.begin);
    const ConstPixels from = advance(run.stored, stored, part.begin - run.pixels.begin);
    const std::array chain{Link{to, accumulator_.scalar, Side::back}, Link{from, stored.scalar, side}};
    blend(op, accumulator_.channels, depth, chain, to, accumulator_.scalar, part.size());
  };
  if (op == Op::closest) {
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) join(**run, Side::front);
  } else {
    for (const BoxRun* run : runs) join(*run, Side::back);
  }
}

namespace {

// Runs that may be blended: they overlap, each with those before it, and nothing else comes between.
struct Group {
  Range pixels;
  Place first = 0;
  Place last = 0;
  std::vector<BoxRun> runs;  // front to back
};

// Sorts runs, which come front to back, into groups.
//
// Two kinds of pixels may not come between. Those of ranks none of whose runs are here: what they will bring
// is not known, so their boxes must not hold any pixel of the group. And those of runs that are here, in
// groups that are closed: behind the group's front, they must not overlap what joins it.
class Grouping {
 public:
  Grouping(const BoxTable& table, std::span<const BoxRun> runs, Range pixels) : table_(table) {
    std::set<std::int32_t> here;
    for (const BoxRun& run : runs) here.insert({table.at(run.first).rank, table.at(run.last).rank});
    for (const Place place : table.meeting(pixels))
      if (!here.contains(table.at(place).rank)) absent_.push_back(place);
  }

  void add(const BoxRun& run) {
    // Find the groups that the run overlaps: they lie side by side.
    auto begin = open_.lower_bound(run.pixels.begin);
    if (begin != open_.begin() && std::prev(begin)->second.pixels.end > run.pixels.begin) --begin;
    auto end = begin;
    while (end != open_.end() && end->first < run.pixels.end) ++end;

    // Join the one, or close them all.
    if (begin != end && std::next(begin) == end && joins(begin->second, run)) {
      Group group = std::move(begin->second);
      open_.erase(begin);
      group.pixels = hull(group, run);
      group.last = run.last;
      group.runs.push_back(run);
      open_.emplace(group.pixels.begin, std::move(group));
      return;
    }
    for (auto each = begin; each != end; ++each) closed_.push_back(std::move(each->second));
    open_.erase(begin, end);
    open_.emplace(run.pixels.begin, Group{run.pixels, run.first, run.last, {run}});
  }

  std::vector<Group> take() {
    for (auto& [begin, group] : open_) closed_.push_back(std::move(group));
    open_.clear();
    return std::move(closed_);
  }

 private:
  static Range hull(const Group& group, const BoxRun& run) {
    return {std::min(group.pixels.begin, run.pixels.begin), std::max(group.pixels.end, run.pixels.end)};
  }

  bool joins(const Group& group, const BoxRun& run) const {
    if (run.first <= group.last) return false;
    const auto between = [&](const Group& closed) {
      return closed.first >= group.first && !intersection(closed.pixels, run.pixels).empty();
    };
    if (std::any_of(closed_.begin(), closed_.end(), between)) return false;
    const Range pixels = hull(group, run);
    for (auto place = std::lower_bound(absent_.begin(), absent_.end(), group.first);
         place != absent_.end() && *place <= run.last; ++place)
      if (table_.meets(*place, pixels) && !blended(*place, group.pixels, group, pixels) &&
          !blended(*place, run.pixels, run, pixels))
        return false;
    return true;
  }

  // Whether the image was blended into a part of these pixels already, and has none in the rest.
  template <typename Part>
  bool blended(Place place, Range part, const Part& in, Range pixels) const {
    return place >= in.first && place <= in.last && table_.meets(place, part) &&
           !table_.meets(place, {pixels.begin, part.begin}) && !table_.meets(place, {part.end, pixels.end});
  }

  const BoxTable& table_;
  std::vector<Place> absent_;           // images of ranks without runs here
  std::map<std::int64_t, Group> open_;  // by first pixel; they do not overlap
  std::vector<Group> closed_;
};

}  // namespace

// Append a group: blended, if that takes less room than its runs.
void BoxImages::append(std::span<const BoxRun> group, Range pixels, Bytes& out) const {
  Range all = group.front().pixels;
  std::size_t bytes = 0;
  for (const BoxRun& run : group) {
    all = {std::min(all.begin, run.pixels.begin), std::max(all.end, run.pixels.end)};
    bytes += run_bytes(stored_format(run.blended), run.pixels.size());
  }
  if (group.size() == 1 || run_bytes(accumulator_, all.size()) >= bytes) {
    for (const BoxRun& run : group) append(run, pixels, out);
    return;
  }
  std::vector<const BoxRun*> runs;
  for (const BoxRun& run : group) runs.push_back(&run);

  const Header header{static_cast<std::uint32_t>(all.begin - pixels.begin),
                      static_cast<std::uint32_t>(all.size()) | blended_bit, group.front().first,
                      group.back().last};
  out.append_value(header);
  const std::size_t colours = colour_bytes(accumulator_, all.size());
  const std::size_t room = colours + depth_bytes(accumulator_, all.size());
  std::byte* const to = out.grow(room);
  std::memset(to, 0, room);
  blend_runs(runs, all, {to, accumulator_.depth ? reinterpret_cast<float*>(to + colours) : nullptr});
}

// Append runs, in any order, with those blended that can be.
void BoxImages::merge(std::vector<BoxRun>& runs, Range pixels, Bytes& out) const {
  if (pixels.size() >= blended_bit)
    throw Error("a string of " + std::to_string(pixels.size()) + " pixels; expected less than 2^31");
  sort_by_place(runs);
  Grouping grouping(table(), runs, pixels);
  for (const BoxRun& run : runs) grouping.add(run);
  for (const Group& group : grouping.take()) append(group.runs, pixels, out);
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
    const std::vector<BoxRun> some = parse(string, pixels);
    runs.insert(runs.end(), some.begin(), some.end());
  }
  merge(runs, pixels, out);
}

void BoxImages::cut(String string, Range from, Range pixels, Bytes& out) const {
  for (BoxRun run : parse(string, from)) {
    const Range part = intersection(run.pixels, pixels);
    if (part.empty()) continue;
    run.stored = advance(run.stored, stored_format(run.blended), part.begin - run.pixels.begin);
    run.pixels = part;
    append(run, pixels, out);
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
    const std::vector<BoxRun> some = parse(string, pixels);
    runs.insert(runs.end(), some.begin(), some.end());
  }
  sort_by_place(runs);

  // Blend them block by block, and round.
  const Format& format = frame_.format;
  Bytes memory;
  const std::size_t colours = colour_bytes(accumulator_, block_pixels);
  std::byte* const room = memory.grow(colours + depth_bytes(accumulator_, block_pixels));
  const Pixels block{room, format.depth ? reinterpret_cast<float*>(room + colours) : nullptr};
  const bool in_place = accumulator_ == format;
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
        const std::array chain{Link{block, accumulator_.scalar, Side::back}};
        blend(frame_.op, format.channels, format.depth, chain, to, format.scalar, part.size());
      }
      for (const Range& hole : uncovered(some, part))
        fill_absent(frame_.op, format, behind, advance(to, format, hole.begin), hole.size());
    }
    if (behind) frame_.background->apply(to, part.size());
  }
}

}  // namespace sortlast
