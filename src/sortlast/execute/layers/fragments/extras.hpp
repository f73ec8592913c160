// Extras of a fragment, in addition to colour and depth: the depth at which it ends, if fragments are
// intervals, and the values of its channels, in the order of their names. They travel as opaque bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/channels.hpp"
#include "sortlast/execute/layers/fragments/fragment.hpp"
#include "sortlast/execute/layers/images/layout.hpp"
#include "sortlast/fragments.hpp"

namespace sortlast {

// How the fragments of a frame lie in a string.
struct FragmentLayout {
  Scalar scalar = Scalar::float32;  // of the colours
  bool intervals = false;
  std::size_t channel_bytes = 0;  // of a fragment

  std::size_t extra_bytes() const { return (intervals ? sizeof(float) : 0) + channel_bytes; }
  // Bytes of a fragment without its rank.
  std::size_t bytes() const { return colour_bytes(scalar) + sizeof(float) + extra_bytes(); }
};

// Where a fragment ends, from its extras.
inline float load_back(const std::byte* extras) { return load_depth(extras); }

// One rank's own.
class FragmentExtras {
 public:
  // The view's memory must stay. Throws ArgumentError: as many ends or values as fragments are not there, an
  // interval that ends in front of its depth or is not finite, channels that are wrong (see settle()) or that
  // have a rule or a background.
  explicit FragmentExtras(const FragmentsView& view);

  const FragmentLayout& layout() const { return layout_; }
  // Write the extras of a fragment, or of one of the surface, at which no channel has a value.
  void put(std::size_t fragment, std::byte* to) const;
  void put_surface(float depth, std::byte* to) const;

  // Arguments that all ranks must share, by name.
  std::vector<std::pair<std::string, std::string>> arguments() const;
  // The channels, without any values.
  std::vector<ChannelPlane> planes() const;

 private:
  FragmentLayout layout_;
  ChannelLayout channels_;
  const float* back_ = nullptr;
  std::vector<const std::byte*> values_;  // of each channel
};

// Appends the extras of fragments to memory where each kind lies by itself.
class ExtraPlanes {
 public:
  // `into` gets room for `fragments` fragments, and the channels of `planes`.
  ExtraPlanes(Fragments& into, bool intervals, const std::vector<ChannelPlane>& planes,
              std::size_t fragments);

  // The next fragments, one behind the other at `from`.
  void add(const std::byte* from, std::size_t fragments);

 private:
  Fragments& into_;
  std::size_t at_ = 0;
};

}  // namespace sortlast
