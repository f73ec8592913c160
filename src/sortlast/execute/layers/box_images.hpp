// BoxImages: a rank's images of boxes of the frame, each at a place of its own in depth, as a content of
// varying size.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sortlast/execute/layers/box_runs.hpp"
#include "sortlast/execute/layers/box_table.hpp"
#include "sortlast/execute/layers/content.hpp"
#include "sortlast/image.hpp"
#include "sortlast/image/blend.hpp"

namespace sortlast {

// What all images of a frame have in common.
struct BoxFrame {
  std::shared_ptr<const BoxTable> table;
  Format format;
  Op op = Op::over;
  std::optional<Background> background = {};
  bool sparse = true;  // leave out empty pixels where that pays
};

class BoxImages : public LayerContent {
 public:
  // `images`: those of `rank`, as the table counts them; of the frame's format, premultiplied. They must
  // stay.
  BoxImages(BoxFrame frame, std::int32_t rank, std::span<const ConstPixels> images);

  void encode_own(Range pixels, Bytes& out) const override;
  void join(std::span<const String> strings, Range pixels, Bytes& out) const override;
  void cut(String string, Range from, Range pixels, Bytes& out) const override;
  void finish(std::span<const String> strings, bool own, Range pixels, Pixels out,
              Bytes* joined) const override;

 private:
  struct Own {
    BoxTable::Place place = 0;
    ConstPixels pixels;
    bool sparse = false;  // empty pixels are worth leaving out
  };

  const BoxTable& table() const { return *frame_.table; }
  const Own* own(BoxTable::Place place) const;
  bool leaves_out_empty() const;
  void list_own(Range pixels, bool active_only, std::vector<BoxRun>& runs) const;
  void merge(std::vector<BoxRun>& runs, Range pixels, Bytes& out) const;
  void blend_runs(std::span<const BoxRun* const> runs, Range pixels, Pixels out) const;
  void append(std::span<const BoxRun> group, Range pixels, Bytes& out) const;

  BoxFrame frame_;
  BoxRunFormat stored_;
  std::vector<Own> own_;  // by place
};

}  // namespace sortlast
