// Image reader: images that are blended from where they lie, the rank's own and those of its node.
//
// Most can be read in place. Those that another process keeps to itself are copied here, through the kernel,
// a few pages at a time into memory that stays in the cache until they are blended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sortlast/execute/run/encoding.hpp"
#include "sortlast/execute/run/pool.hpp"
#include "sortlast/image.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/schedule/interleaving.hpp"

namespace sortlast {

// The image of a rank that can be read without a message: where it lies, or, if `pull` is set, by having runs
// of its pixels, counted from pixel `origin`, copied to where each is stored in `to`. `released` is called
// once, when it has been read.
struct Reference {
  ImageView image = {};
  std::function<void(std::int64_t origin, std::span<const ActiveRun> runs, Pixels to)> pull = {};
  std::function<void()> released = {};

  bool absent() const { return image.is_none(); }
};

class ImageReader {
 public:
  explicit ImageReader(Pool& pool) : pool_(pool) {}

  // Start a frame, of up to `images` images that hold the program's pixels as the interleaving says.
  void begin_frame(std::size_t images, const Interleaving& interleaving);
  // Let go of them.
  void end_frame();
  // Image `number` will be read for the program's pixels [begin, end).
  void add(std::size_t number, Reference reference, Range pixels);
  // It has been read, and will not be again in this frame.
  void release(std::size_t number);

  // Where the pixels from `pixel` on that one link can show end.
  std::int64_t contiguous_until(std::size_t number, std::int64_t pixel) const;
  // Pixels of an image that is not absent; at most up to contiguous_until(). What was copied for a link stays
  // until the next begin_unit().
  void begin_unit();
  Link link(std::size_t number, Range pixels, Side side);
  bool pulls(std::size_t number) const { return images_[number].reference.pull != nullptr; }

  // Pixels of an image in this process, as they are to be sent; valid until the next call.
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

  // Pixels pulled for the unit that is being blended.
  Memory staging_;
  std::size_t pulled_images_ = 0;
  std::size_t staged_ = 0;  // bytes in use
  std::vector<std::vector<ActiveRun>> staged_runs_;
  std::size_t staged_links_ = 0;
  std::vector<ActiveRun> reads_;  // of the last pull
};

}  // namespace sortlast
