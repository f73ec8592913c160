// Fragment content: one rank's fragments as the engine of layers carries them, merges and flattens them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sortlast/execute/layers/content.hpp"
#include "sortlast/execute/layers/fragments/own_fragments.hpp"

namespace sortlast {

// Merged lists of neighbouring pixels.
class FragmentContent : public LayerContent {
 public:
  // `own` must stay. Without `keep_lists` what is hidden is left out, and lists are blended early where
  // `limits` allow it.
  FragmentContent(const OwnFragments& own, std::uint32_t rank, std::int32_t p,
                  const FragmentComposition& composition, std::optional<DepthLimits> limits);

  static constexpr Format format{Scalar::float32, 4, false};

  void encode_own(Range pixels, Bytes& out) const override;
  void join(std::span<const String> strings, Range pixels, Bytes& out) const override;
  void cut(String string, Range from, Range pixels, Bytes& out) const override;
  void finish(std::span<const String> strings, bool own, Range pixels, Pixels out,
              Bytes* joined) const override;
  bool keeps_joined() const override { return keep_lists_; }

 private:
  const OwnFragments& own_;
  std::uint32_t rank_;
  std::int32_t p_;
  std::vector<float> background_;
  bool keep_lists_;
  std::optional<DepthLimits> limits_;
};

}  // namespace sortlast
