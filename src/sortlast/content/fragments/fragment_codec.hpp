// Fragment codec: encodes, merges and flattens one rank's fragments for the engine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sortlast/content/fragments/own_fragments.hpp"
#include "sortlast/content/pixels/peer_spans.hpp"
#include "sortlast/content/strings/string_codec.hpp"

namespace sortlast {

// Merged lists of consecutive pixels.
class FragmentCodec : public StringCodec {
 public:
  // `own` must stay valid; the finished pixels are RGBA of the scalar of its colours. Without `keep_lists`,
  // hidden fragments are left out, and lists of float32 without extras are blended early as far as `limits`
  // allow. `peers`: colours and depths of the fragments that lists may refer to, by rank; null: none. `take`:
  // allocator of Bytes for data copied from there.
  FragmentCodec(const OwnFragments& own, std::uint32_t rank, std::int32_t p,
                const FragmentComposition& composition, std::optional<DepthLimits> limits,
                std::unique_ptr<const PeerSpans> peers = nullptr, Bytes::Take take = {});

  void encode_own(Range pixels, Bytes& out) const override;
  void encode_for_mates(Range pixels, Bytes& out) const override;
  bool pulls_from(int mate) const override { return peers_ && peers_->pulls_from(mate); }
  void join(std::span<const String> strings, Range pixels, Bytes& out) const override;
  void cut(String string, Range from, Range pixels, Bytes& out) const override;
  void finish(std::span<const String> strings, bool own, Range pixels, Pixels out,
              Bytes* joined) const override;
  bool keeps_joined() const override { return keep_lists_; }

 private:
  const FragmentLayout& layout() const { return own_.layout(); }
  Scalar scalar() const { return layout().scalar; }
  template <Scalar scalar_>
  bool flatten_lists(std::span<const String> strings, bool own, Range pixels, std::byte* out) const;

  const OwnFragments& own_;
  std::uint32_t rank_;
  std::int32_t p_;
  std::optional<Colour> background_;
  bool keep_lists_;
  std::optional<DepthLimits> limits_;
  std::unique_ptr<const PeerSpans> peers_;
  Bytes::Take take_;
};

}  // namespace sortlast
