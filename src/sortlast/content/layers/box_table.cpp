// BoxTable.
#include "sortlast/content/layers/box_table.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

constexpr std::int64_t least_band_rows = 16;
constexpr std::int64_t most_bands = 128;

bool empty(const Rectangle& box) { return box.x0 >= box.x1 || box.y0 >= box.y1; }

void check_positions(const std::vector<PlacedBox>& boxes) {
  const auto twice = std::adjacent_find(
      boxes.begin(), boxes.end(),
      [](const PlacedBox& front, const PlacedBox& back) { return front.position == back.position; });
  if (twice == boxes.end()) return;
  const PlacedBox& other = *(twice + 1);
  const std::string ranks = twice->rank == other.rank ? "two images of rank " + std::to_string(twice->rank)
                                                      : "an image of rank " + std::to_string(twice->rank) +
                                                            " and one of rank " + std::to_string(other.rank);
  throw ArgumentError("position " + std::to_string(twice->position) + " is that of " + ranks +
                      "; expected positions that no two images of all ranks share");
}

// Sort boxes by position in linear time, each into the slot of its position, if there are not many more
// positions than boxes. Returns false and leaves the boxes unchanged otherwise, or if two share a position.
bool put_in_slots(std::vector<PlacedBox>& boxes) {
  if (boxes.empty()) return true;
  const auto [first, last] =
      std::minmax_element(boxes.begin(), boxes.end(),
                          [](const PlacedBox& a, const PlacedBox& b) { return a.position < b.position; });
  const std::uint64_t least = static_cast<std::uint64_t>(first->position);
  const std::uint64_t extent = static_cast<std::uint64_t>(last->position) - least;
  if (extent / 4 >= boxes.size()) return false;
  constexpr std::uint32_t none = ~0U;
  std::vector<std::uint32_t> slots(extent + 1, none);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    std::uint32_t& slot = slots[static_cast<std::uint64_t>(boxes[i].position) - least];
    if (slot != none) return false;
    slot = static_cast<std::uint32_t>(i);
  }
  std::vector<PlacedBox> ordered;
  ordered.reserve(boxes.size());
  for (const std::uint32_t slot : slots)
    if (slot != none) ordered.push_back(boxes[slot]);
  boxes = std::move(ordered);
  return true;
}

std::string text(const Rectangle& box) {
  return "x " + std::to_string(box.x0) + " to " + std::to_string(box.x1) + ", y " + std::to_string(box.y0) +
         " to " + std::to_string(box.y1);
}

std::string pixels(std::int64_t width, std::int64_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

// The problem with an image; empty if there is none. Builds the text only on errors, as there may be
// thousands of images.
std::string wrong_with(const BoxImage& each, std::size_t index, Size frame, const Format& format) {
  const auto name = [index] { return "image " + std::to_string(index); };
  const Rectangle box = box_of(each, frame);
  const bool inside = box.x0 >= 0 && box.y0 >= 0 && box.x0 <= box.x1 && box.y0 <= box.y1 &&
                      box.x1 <= frame.width && box.y1 <= frame.height;
  if (!inside)
    return "the box of " + name() + " is " + text(box) + "; expected a rectangle within the frame of " +
           pixels(frame.width, frame.height) + " pixels";
  const Size size = each.image.size;
  if (size.width != box.x1 - box.x0 || size.height != box.y1 - box.y0)
    return name() + " is " + pixels(size.width, size.height) + "; expected " +
           pixels(box.x1 - box.x0, box.y1 - box.y0) + ", as its box is " + text(box);
  if (each.image.format != format)
    return name() + " is " + format_name(each.image.format) + ", but others are " + format_name(format) +
           "; expected images of one format";
  if (size.pixels() == 0) return "";
  if (each.image.pixels.colour == nullptr) return name() + " has no pixels; leave it out of the images";
  if (format.depth && each.image.pixels.depth == nullptr)
    return name() + " has no depth; expected one, as its format says";
  return "";
}

}  // namespace

Rectangle box_of(const BoxImage& image, Size frame) {
  return image.box ? *image.box : Rectangle{0, 0, frame.width, frame.height};
}

void check_box_images(std::span<const BoxImage> images, Size frame, const Format& format) {
  check_size(frame, format);
  for (std::size_t i = 0; i < images.size(); ++i) {
    const std::string wrong = wrong_with(images[i], i, frame, format);
    if (!wrong.empty()) throw ArgumentError(wrong);
  }
}

BoxTable::BoxTable(std::vector<PlacedBox> boxes, Size frame) : frame_(frame), boxes_(std::move(boxes)) {
  if (boxes_.size() > std::numeric_limits<Place>::max())
    throw ArgumentError(std::to_string(boxes_.size()) + " images of all ranks; expected less than 2^32");
  if (!put_in_slots(boxes_)) {
    std::sort(boxes_.begin(), boxes_.end(), [](const PlacedBox& a, const PlacedBox& b) {
      return std::tie(a.position, a.rank, a.index) < std::tie(b.position, b.rank, b.index);
    });
    check_positions(boxes_);
  }

  band_rows_ = std::max(least_band_rows, (frame.height + most_bands - 1) / most_bands);
  bands_.resize(static_cast<std::size_t>((frame.height + band_rows_ - 1) / band_rows_));
  for (std::size_t place = 0; place < boxes_.size(); ++place) {
    const Rectangle& box = boxes_[place].box;
    if (empty(box)) continue;
    for (std::int64_t band = band_of(box.y0); band <= band_of(box.y1 - 1); ++band)
      bands_[static_cast<std::size_t>(band)].push_back(static_cast<Place>(place));
  }
}

std::int64_t BoxTable::pixels() const {
  std::int64_t sum = 0;
  for (const PlacedBox& each : boxes_) sum += area(each.box);
  return sum;
}

bool BoxTable::meets(Place place, Range pixels) const {
  const Rectangle& box = boxes_[place].box;
  if (pixels.empty() || empty(box)) return false;
  const std::int64_t first = pixels.begin / frame_.width;
  const std::int64_t last = (pixels.end - 1) / frame_.width;
  if (box.y1 <= first || box.y0 > last) return false;
  // Rows between the first and the last are covered completely.
  if (std::max(first + 1, box.y0) < std::min(last, box.y1)) return true;
  const auto in_row = [&](std::int64_t row) {
    if (row < box.y0 || row >= box.y1) return false;
    const std::int64_t origin = row * frame_.width;
    return std::max(pixels.begin, origin + box.x0) < std::min(pixels.end, origin + box.x1);
  };
  return in_row(first) || in_row(last);
}

std::vector<BoxTable::Place> BoxTable::meeting(Range pixels) const {
  std::vector<Place> places;
  if (pixels.empty()) return places;
  const std::int64_t first = band_of(pixels.begin / frame_.width);
  const std::int64_t last = band_of((pixels.end - 1) / frame_.width);
  for (std::int64_t band = first; band <= last; ++band)
    for (const Place place : bands_[static_cast<std::size_t>(band)])
      if (band == std::max(first, band_of(boxes_[place].box.y0)) && meets(place, pixels))
        places.push_back(place);
  if (first != last) std::sort(places.begin(), places.end());
  return places;
}

std::vector<std::int32_t> BoxTable::order_of_ranks(std::int32_t p) const {
  std::vector<std::int32_t> order;
  std::vector<bool> seen(static_cast<std::size_t>(p), false);
  for (const PlacedBox& each : boxes_) {
    if (!order.empty() && order.back() == each.rank) continue;
    if (seen[static_cast<std::size_t>(each.rank)]) return {};
    seen[static_cast<std::size_t>(each.rank)] = true;
    order.push_back(each.rank);
  }
  for (std::int32_t rank = 0; rank < p; ++rank)
    if (!seen[static_cast<std::size_t>(rank)]) order.push_back(rank);
  return order;
}

Rectangle BoxTable::bounds_of(std::int32_t rank) const {
  Rectangle bounds{};
  for (const PlacedBox& each : boxes_) {
    if (each.rank != rank || empty(each.box)) continue;
    if (empty(bounds)) bounds = each.box;
    bounds = {std::min(bounds.x0, each.box.x0), std::min(bounds.y0, each.box.y0),
              std::max(bounds.x1, each.box.x1), std::max(bounds.y1, each.box.y1)};
  }
  return bounds;
}

}  // namespace sortlast
