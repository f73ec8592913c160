// StringCodec: one rank's contribution to a frame of pixels of no fixed size: several images at separate
// depth positions, lists of fragments, pixels with extra channels.
//
// The engine moves byte strings by a StringContent (string_content.hpp), and the codec interprets them.
// ImageCodec and FragmentCodec are codecs. A string holds joined contributions to a range of the image's
// pixels (row-major). The empty string means no contribution; the engine may drop it. Joining is commutative
// and associative: if the order in depth matters, every part of a string carries its depth position. The
// frame then has the same bits however the contributions are grouped and ordered, and all algorithms can
// carry them, with schedules made for operators that commute.
//
// Strings of other ranks may be corrupt. join(), cut() and finish() throw Error, with the reason, for a
// string they cannot read, and never access memory outside it.
//
// Strings passed in begin at multiples of 8 bytes, and so does the first data appended to `out`.
//
// All calls are const and may be made concurrently by several threads, for different pixels.
#pragma once

#include <cstddef>
#include <span>

#include "sortlast/content/strings/bytes.hpp"
#include "sortlast/image.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

class StringCodec {
 public:
  using String = std::span<const std::byte>;

  virtual ~StringCodec() = default;

  // Append this rank's own contribution to the pixels; nothing if there is none.
  virtual void encode_own(Range pixels, Bytes& out) const = 0;

  // The same for ranks of this node, which read the string in place while the frame lasts. It may refer to
  // memory that they read as well.
  virtual void encode_for_mates(Range pixels, Bytes& out) const { encode_own(pixels, out); }
  // Whether memory referred to by the strings of that rank is copied through the kernel.
  virtual bool pulls_from(int /*mate*/) const { return false; }

  // Append the join of one or more non-empty strings of the same pixels. The result refers to no other
  // memory.
  virtual void join(std::span<const String> strings, Range pixels, Bytes& out) const = 0;

  // Append the part `pixels` of a non-empty string of the pixels `from`, which contain them. The result
  // refers to no other memory.
  virtual void cut(String string, Range from, Range pixels, Bytes& out) const = 0;

  // Join any number of non-empty strings of the pixels (or of other pixels, see takes_parts()) and, if `own`,
  // this rank's own contribution, and flatten them into finished pixels in the format of the frame. `out`
  // begins at pixels.begin; all its pixels must be written, as its memory is not cleared. `joined`, if not
  // null: also append the joined string (see keeps_joined()).
  virtual void finish(std::span<const String> strings, bool own, Range pixels, Pixels out,
                      Bytes* joined) const = 0;

  // Whether finish() accepts strings of any pixels, and uses only the part within its own. Strings of
  // neighbouring pixels then need not be cut into the same blocks on all ranks, and are as long as possible.
  virtual bool takes_parts() const { return false; }

  // Whether the tile keeps the joined strings in addition to the finished pixels, to be gathered later.
  virtual bool keeps_joined() const { return false; }
};

}  // namespace sortlast
