// Fragment strings: lists of fragments of consecutive pixels as bytes (see StringCodec).
//
// A string is a header; then one plane each of colours, depths, extras (see extras.hpp) and, unless all
// fragments have the same rank, ranks in as few bytes as p takes; then the counts of the pixels, run by run,
// as numbers with 7 bits per byte: 2 * count for a single pixel, or 2 * count + 1 and the number of pixels.
// Empty pixels therefore cost next to nothing, and fragments can be loaded directly into vector registers. A
// string that refers to fragments in their rank's memory contains the index of the first one there instead of
// the planes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/content/fragments/counts.hpp"
#include "sortlast/content/fragments/extras.hpp"
#include "sortlast/content/fragments/fragment.hpp"
#include "sortlast/content/strings/bytes.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// The lists of consecutive pixels, in any memory.
struct FragmentLists {
  std::span<const CountRun> runs = {};  // of the counts of the pixels
  const std::byte* colour = nullptr;
  const std::byte* depth = nullptr;
  const std::byte* ranks = nullptr;  // null: all are `rank`
  std::uint32_t rank_bytes = 0;
  std::uint32_t rank = 0;
  std::size_t size = 0;             // number of fragments
  std::size_t first = 0;            // index among the rank's fragments, if the lists only refer to them
  Scalar scalar = Scalar::float32;  // of the colours
  const std::byte* extras = nullptr;
  std::size_t extra_bytes = 0;  // per fragment

  bool refers() const { return size > 0 && colour == nullptr; }
  const std::byte* colour_at(std::size_t fragment) const { return colour + fragment * colour_bytes(scalar); }
  Colour colour_of(std::size_t fragment) const { return load_colour(colour_at(fragment), scalar); }
  const std::byte* extras_at(std::size_t fragment) const { return extras + fragment * extra_bytes; }
  float depth_of(std::size_t fragment) const { return load_depth(depth + fragment * sizeof(float)); }
  std::uint32_t rank_of(std::size_t fragment) const {
    if (ranks == nullptr) return rank;
    const std::byte* const at = ranks + fragment * rank_bytes;
    if (rank_bytes == 1) return std::to_integer<std::uint32_t>(*at);
    if (rank_bytes == 2)
      return std::to_integer<std::uint32_t>(at[0]) | std::to_integer<std::uint32_t>(at[1]) << 8U;
    std::uint32_t found = 0;
    std::memcpy(&found, at, sizeof found);
    return found;
  }
};

// The lists of the pixels from their string with the given layout; `runs` holds the counts. Throws Error if
// the string is corrupt. Each list is in order, unless it refers to its rank's memory.
FragmentLists read_fragments(std::span<const std::byte> string, std::int64_t pixels, std::int32_t p,
                             const FragmentLayout& layout, std::vector<CountRun>& runs);

// Append the string of lists that refer to their rank's memory; nothing if there are no fragments.
void write_reference(const FragmentLists& lists, Bytes& out);

// Writes the counts of pixels.
class CountPacker {
 public:
  void add(std::size_t count, std::size_t pixels) {
    if (count != count_) end_run();
    count_ = count;
    pixels_ += pixels;
  }
  // Append all counts.
  void finish(Bytes& out);

 private:
  void end_run();
  void put_number(std::uint64_t number);

  std::vector<std::byte> packed_;
  std::size_t count_ = 0;  // of the last run
  std::size_t pixels_ = 0;
};

// Writes a string, fragment by fragment. Pixels without fragments take up no space in the planes.
class FragmentWriter {
 public:
  // For at most `most` fragments, all of `rank`, or of any of p ranks.
  FragmentWriter(Bytes& out, std::size_t most, const FragmentLayout& layout, std::uint32_t rank);
  FragmentWriter(Bytes& out, std::size_t most, const FragmentLayout& layout, std::int32_t p);

  // `extras`: layout.extra_bytes() bytes.
  void add(const Colour& colour, float depth, std::uint32_t rank, const std::byte* extras) {
    store_colour(colour, colour_ + size_ * colour_bytes(scalar_), scalar_);
    std::memcpy(depth_ + size_ * sizeof depth, &depth, sizeof depth);
    if (extra_bytes_ > 0) std::memcpy(extras_ + size_ * extra_bytes_, extras, extra_bytes_);
    // The next write overwrites the surplus bytes.
    if (rank_bytes_ > 0) std::memcpy(ranks_ + size_ * rank_bytes_, &rank, sizeof rank);
    ++size_;
  }
  // End a pixel; it has all fragments added since the previous call.
  void end_pixel() {
    const std::size_t count = size_ - pixel_begin_;
    pixel_begin_ = size_;
    counts_.add(count, 1);
  }
  // Add the next pixels of `runs`; their fragments are consecutive, starting at `first`. Returns their
  // number.
  std::size_t add_pixels(const FragmentLists& from, std::size_t first, RunReader& runs, std::size_t pixels);
  void finish();

 private:
  void begin(std::size_t most);

  Bytes& out_;
  std::size_t start_;
  std::size_t most_ = 0;
  Scalar scalar_;
  std::size_t extra_bytes_;
  std::uint32_t rank_ = 0;
  std::uint32_t rank_bytes_ = 0;
  std::byte* colour_ = nullptr;
  std::byte* depth_ = nullptr;
  std::byte* extras_ = nullptr;
  std::byte* ranks_ = nullptr;
  std::size_t size_ = 0;
  std::size_t pixel_begin_ = 0;
  CountPacker counts_;
};

}  // namespace sortlast
