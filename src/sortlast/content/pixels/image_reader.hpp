// Image reader: images that are blended in place, namely the rank's own and those on its node.
//
// Most can be read in place. Private images of another process are copied here through the kernel, a few
// pages at a time, into memory that stays in the cache until they are blended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sortlast/content/pixels/encoding.hpp"
#include "sortlast/content/pixels/pool.hpp"
#include "sortlast/image.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/schedule/interleaving.hpp"

namespace sortlast {

// An image that can be read without a message: in place or, if `pull` is set, by copying runs of its pixels,
// counted from pixel `origin`, to their places in `to`. `released` is called once, after it has been read.
struct Reference {
  ImageView image = {};
  std::function<void(std::int64_t origin, std::span<const ActiveRun> runs, Pixels to)> pull = {};
  std::function<void()> released = {};

  bool absent() const { return image.is_none(); }
};

class ImageReader {
 public:
  explicit ImageReader(Pool& pool) : pool_(pool) {}

  // Start a frame of up to `images` images; the interleaving maps the program's pixels to theirs.
  void begin_frame(std::size_t images, const Interleaving& interleaving);
  // Release the images.
  void end_frame();
  // Register image `number`, to be read for the program's pixels [begin, end).
  void add(std::size_t number, Reference reference, Range pixels);
  // The image will not be read again in this frame.
  void release(std::size_t number);

  // The end of the pixels from `pixel` on that a single link can represent.
  std::int64_t contiguous_until(std::size_t number, std::int64_t pixel) const;
  // Pixels of an image that is not absent, at most up to contiguous_until(). Memory copied for a link stays
  // valid until the next begin_unit().
  void begin_unit();
  Link link(std::size_t number, Range pixels, Side side);
  bool pulls(std::size_t number) const { return images_[number].reference.pull != nullptr; }

  // Pixels of an image in this process in the form in which they are sent; valid until the next call.
  Payload payload(std::size_t number, Range pixels);

 private:
  struct Image {
    Reference reference;
    Range pixels;
    std::vector<ActiveRun> runs;  // of its pixels, if in_runs(), counted from pixels.begin
  };

  bool in_runs(const ImageView& image) const;
  std::vector<ActiveRun> runs_in(const ImageView& image, Range pixels) const;
  std::int64_t pull_pixels(const Format& format) const;
  Link pulled(const Image& image, Range pixels, Side side);
  Pixels stage(const Format& format, std::int64_t count);

  Pool& pool_;
  Interleaving interleaving_;
  std::vector<Image> images_;
  std::vector<ActiveRun> sent_runs_;  // of the last payload

  // Pixels pulled for the current unit.
  Memory staging_;
  std::size_t pulled_images_ = 0;
  std::size_t staged_ = 0;  // bytes in use
  std::vector<std::vector<ActiveRun>> staged_runs_;
  std::size_t staged_links_ = 0;
  std::vector<ActiveRun> reads_;  // of the last pull
};

}  // namespace sortlast
