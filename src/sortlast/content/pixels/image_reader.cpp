// Image reader.
#include "sortlast/content/pixels/image_reader.hpp"

#include <algorithm>
#include <utility>

namespace sortlast {
namespace {

// Pulled pixels of all images together should stay in a core's cache until they are blended, but a system
// call costs as much as copying a few pages.
constexpr std::size_t staging_bytes = std::size_t{1} << 20;
constexpr std::size_t least_pull = std::size_t{1} << 17;  // bytes of one image
constexpr std::size_t pull_step = 256;                    // granularity in pixels; less than least_pull bytes

}  // namespace

void ImageReader::begin_frame(std::size_t images, const Interleaving& interleaving) {
  images_.resize(images);
  interleaving_ = interleaving;
  pulled_images_ = 0;
}

void ImageReader::end_frame() {
  for (Image& image : images_) image.reference = {};
  staging_.reset();
}

void ImageReader::add(std::size_t number, Reference reference, Range pixels) {
  Image& image = images_[number];
  image.pixels = pixels;
  image.runs.clear();
  if (in_runs(reference.image)) image.runs = runs_in(reference.image, pixels);
  if (reference.pull && (!in_runs(reference.image) || !image.runs.empty())) ++pulled_images_;
  image.reference = std::move(reference);
}

void ImageReader::release(std::size_t number) {
  if (const auto released = std::exchange(images_[number].reference.released, nullptr)) released();
}

// Whether an image's pixels are described by runs: inside its bounds, and in the order of the interleaving.
bool ImageReader::in_runs(const ImageView& image) const {
  return image.bounds.has_value() || !interleaving_.none();
}

// The runs, counted from pixels.begin; `at` is the pixel of the image.
std::vector<ActiveRun> ImageReader::runs_in(const ImageView& image, Range pixels) const {
  return runs_of(interleaving_, image.bounds, image.size, pixels, 0);
}

// Maximum number of pixels that are pulled at once from each image.
std::int64_t ImageReader::pull_pixels(const Format& format) const {
  const std::size_t share =
      std::max(staging_bytes / std::max(pulled_images_, std::size_t{1}), least_pull) / format.pixel_bytes();
  return static_cast<std::int64_t>(std::max(share / pull_step, std::size_t{1}) * pull_step);
}

// For a pulled image, limited so that at most pull_pixels() lie inside its bounds.
std::int64_t ImageReader::contiguous_until(std::size_t number, std::int64_t pixel) const {
  const auto& [reference, pixels, runs] = images_[number];
  const ImageView& image = reference.image;
  if (!reference.pull || (in_runs(image) && runs.empty())) return pixels.end;
  const std::int64_t most = pull_pixels(image.format);
  if (!image.bounds || !interleaving_.none()) return std::min(pixels.end, pixel + most);
  const std::int64_t rows = most / (image.bounds->x1 - image.bounds->x0);
  return std::min(pixels.end, pixel + (rows > 0 ? rows * image.size.width : most));
}

void ImageReader::begin_unit() { staged_ = staged_links_ = 0; }

Link ImageReader::link(std::size_t number, Range pixels, Side side) {
  const Image& from = images_[number];
  const ImageView& image = from.reference.image;
  if (from.reference.pull) return pulled(from, pixels, side);
  if (!in_runs(image)) return {advance(image.pixels, image.format, pixels.begin), image.format.scalar, side};
  return {image.pixels, image.format.scalar, side, true, from.runs, pixels.begin - from.pixels.begin};
}

// Copy the pixels of another process's image that lie inside its bounds into the staging memory, run after
// run.
Link ImageReader::pulled(const Image& from, Range pixels, Side side) {
  const auto& [image, pull, released] = from.reference;
  const Scalar scalar = image.format.scalar;
  if (!in_runs(image)) {
    const ActiveRun all{0, static_cast<std::uint32_t>(pixels.size()), 0};
    const Pixels to = stage(image.format, pixels.size());
    pull(pixels.begin, {&all, 1}, to);
    return {to, scalar, side};
  }
  if (staged_links_ == staged_runs_.size()) staged_runs_.emplace_back();
  std::vector<ActiveRun>& runs = staged_runs_[staged_links_++];
  runs = runs_in(image, pixels);
  reads_.clear();
  std::uint32_t count = 0;
  for (ActiveRun& run : runs) {
    reads_.push_back({run.at, run.count, count});
    run.at = count;
    count += run.count;
  }
  if (count == 0) return {{}, scalar, side, true, {}, 0};
  const Pixels to = stage(image.format, count);
  pull(0, reads_, to);
  return {to, scalar, side, true, runs, 0};
}

// Staging memory for at most pull_pixels() pixels of a pulled image. It is allocated for any number of pulled
// images, so that frames that begin with one and pull more later do not need memory of several sizes.
Pixels ImageReader::stage(const Format& format, std::int64_t count) {
  constexpr std::size_t line = 64;
  const std::size_t others = images_.size() - 1;
  if (!staging_) staging_ = pool_.take(std::max(staging_bytes, others * least_pull) + others * 2 * line);
  const PixelBuffer room(Memory(staging_, staging_.get() + staged_), format, count);
  staged_ += (PixelBuffer::bytes(format, count) + line - 1) / line * line;
  return room.view();
}

Payload ImageReader::payload(std::size_t number, Range pixels) {
  const ImageView& image = images_[number].reference.image;
  Payload payload{image.format, image.pixels, pixels.size()};
  sent_runs_.clear();
  if (!interleaving_.none()) {
    sent_runs_ = runs_in(image, pixels);
    payload.boxed = payload.scattered = true;
  } else {
    payload.pixels = advance(image.pixels, image.format, pixels.begin);
    payload.boxed = image.bounds.has_value();
    if (payload.boxed) sent_runs_ = rows_of(*image.bounds, image.size, pixels, pixels.begin);
  }
  payload.runs = sent_runs_;
  return payload;
}

}  // namespace sortlast
