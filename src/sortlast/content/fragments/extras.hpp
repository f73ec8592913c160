// Extras of a fragment, in addition to colour and depth: the back depth if fragments are intervals, and the
// values of its channels, sorted by name. They travel as opaque bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/channels.hpp"
#include "sortlast/content/fragments/fragment.hpp"
#include "sortlast/content/layers/layout.hpp"
#include "sortlast/fragments.hpp"

namespace sortlast {

// The layout of a frame's fragments in a string.
struct FragmentLayout {
  Scalar scalar = Scalar::float32;  // of the colours
  bool intervals = false;
  std::size_t channel_bytes = 0;  // per fragment

  std::size_t extra_bytes() const { return (intervals ? sizeof(float) : 0) + channel_bytes; }
  // Bytes per fragment, without its rank.
  std::size_t bytes() const { return colour_bytes(scalar) + sizeof(float) + extra_bytes(); }
};

// The back depth of a fragment, from its extras.
inline float load_back(const std::byte* extras) { return load_depth(extras); }

// The extras of one rank's own fragments.
class FragmentExtras {
 public:
  // The view's memory must stay valid. Throws ArgumentError if the number of back depths or values differs
  // from the number of fragments, an interval ends in front of its depth or is not finite, or channels are
  // invalid (see settle()), have a rule or have a background.
  explicit FragmentExtras(const FragmentsView& view);

  const FragmentLayout& layout() const { return layout_; }
  // Write the extras of a fragment, or of a fragment of the surface, where no channel has a value.
  void put(std::size_t fragment, std::byte* to) const;
  void put_surface(float depth, std::byte* to) const;

  // Arguments that must be the same on all ranks, by name.
  std::vector<std::pair<std::string, std::string>> arguments() const;
  // The channels, without values.
  std::vector<ChannelPlane> planes() const;

 private:
  FragmentLayout layout_;
  ChannelLayout channels_;
  const float* back_ = nullptr;
  std::vector<const std::byte*> values_;  // of each channel
};

// Appends the extras of fragments to separate planes, one for each kind.
class ExtraPlanes {
 public:
  // `into` gets space for `fragments` fragments, and the channels of `planes`.
  ExtraPlanes(Fragments& into, bool intervals, const std::vector<ChannelPlane>& planes,
              std::size_t fragments);

  // Append the extras of the next fragments, stored one after another at `from`.
  void add(const std::byte* from, std::size_t fragments);

 private:
  Fragments& into_;
  std::size_t at_ = 0;
};

}  // namespace sortlast
