// LayerContent: what one rank adds to a frame whose pixels have no fixed size: several images at places of
// their own in depth, lists of fragments, pixels with further channels.
//
// The engine moves byte strings and asks the content what they mean. A string holds contributions, joined, to
// a range of the image's pixels (row-major). An empty string is the one of no contribution; the engine may
// drop it. Joining commutes and is associative, as every piece of a string carries its place in depth: the
// frame has the same bits however the contributions are grouped and whichever comes first. So every algorithm
// carries them.
//
// Strings of other ranks may be damaged. join(), cut() and finish() throw Error, with the reason, for one
// that they cannot read, and never touch memory outside it.
//
// Strings that are passed in begin at multiples of 8 bytes, and so does what is appended to `out` first.
//
// All calls are const and may come from several threads at once, for different pixels.
#pragma once

#include <cstddef>
#include <span>

#include "sortlast/execute/layers/bytes.hpp"
#include "sortlast/image.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

class LayerContent {
 public:
  using String = std::span<const std::byte>;

  virtual ~LayerContent() = default;

  // Append this rank's own contribution to the pixels; nothing if it has none there.
  virtual void encode_own(Range pixels, Bytes& out) const = 0;

  // The same for ranks of this node, which get the string where it lies, as long as the frame lasts: it may
  // refer to memory that they read, too.
  virtual void encode_for_mates(Range pixels, Bytes& out) const { encode_own(pixels, out); }
  // Whether what the strings of that rank refer to is copied through the kernel.
  virtual bool pulls_from(int /*mate*/) const { return false; }

  // Append the join of one or more strings, none of them empty, of the same pixels. It refers to nothing.
  virtual void join(std::span<const String> strings, Range pixels, Bytes& out) const = 0;

  // Append the part `pixels` of a string, not empty, of the pixels `from`, which contain them. It refers to
  // nothing.
  virtual void cut(String string, Range from, Range pixels, Bytes& out) const = 0;

  // Join any number of strings of the pixels (or of others, too: see takes_parts()), none of them empty, and
  // this rank's own contribution if `own`, and flatten them into finished pixels in the format of the frame
  // at `out`, of which the first is that of pixels.begin. `joined`, if not null: append the joined string,
  // too (see keeps_joined()).
  virtual void finish(std::span<const String> strings, bool own, Range pixels, Pixels out,
                      Bytes* joined) const = 0;

  // Whether finish() takes strings of any pixels, and looks at what is among its own. Strings of neighbouring
  // pixels then need not be of the same blocks on all ranks, and are as long as they can be.
  virtual bool takes_parts() const { return false; }

  // Whether the tile keeps the joined strings beside the finished pixels, to be gathered later.
  virtual bool keeps_joined() const { return false; }
};

}  // namespace sortlast
