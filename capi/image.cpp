// Images and frames, the serial oracle, and visibility orders.
#include "image.hpp"

#include <algorithm>
#include <iterator>

#include "sortlast/serial.hpp"

namespace sortlast::capi {
namespace {

// Scalars and operators by their numbers in sortlast.h.
constexpr Scalar scalars[] = {Scalar::float32, Scalar::float16, Scalar::uint8};
constexpr Op ops[] = {Op::over, Op::closest, Op::add, Op::max, Op::min};
static_assert(scalars[SORTLAST_FLOAT16] == Scalar::float16 && scalars[SORTLAST_UINT8] == Scalar::uint8);
static_assert(ops[SORTLAST_CLOSEST] == Op::closest && ops[SORTLAST_ADD] == Op::add);
static_assert(ops[SORTLAST_MAX] == Op::max && ops[SORTLAST_MIN] == Op::min);

sortlast_format format_number(const Format& format) {
  for (std::int32_t number = 0; number < static_cast<std::int32_t>(std::size(scalars)); ++number) {
    if (scalars[number] == format.scalar) return {number, format.channels, format.depth};
  }
  return {};
}

void check_alike(const sortlast_image& first, const sortlast_image& image, std::int32_t index) {
  if (image.width != first.width || image.height != first.height) {
    throw ArgumentError("image " + std::to_string(index) + " is " + std::to_string(image.width) + "x" +
                        std::to_string(image.height) + " and image 0 is " + std::to_string(first.width) +
                        "x" + std::to_string(first.height) + "; expected the same size");
  }
  const Format expected = format_of(first.format);
  const Format found = format_of(image.format);
  if (found != expected) {
    throw ArgumentError("image " + std::to_string(index) + " is " + format_name(found) + " and image 0 is " +
                        format_name(expected) + "; expected the same format");
  }
}

}  // namespace

Format format_of(const sortlast_format& format) {
  return {by_number(scalars, format.scalar, "the scalar of the format"), format.channels, format.depth};
}

Op op_of(std::int32_t op) { return by_number(ops, op, "op"); }

sortlast_composition read_composition(const sortlast_composition* composition) {
  constexpr std::size_t first = offsetof(sortlast_composition, out) + sizeof(sortlast_composition::out);
  return read_struct<sortlast_composition>(composition, SORTLAST_COMPOSITION_INIT, first,
                                           "sortlast_composition", "SORTLAST_COMPOSITION_INIT");
}

std::vector<std::int32_t> ranks_of(const std::int32_t* ranks, std::int32_t p) {
  if (ranks == nullptr || p <= 0) return {};
  return {ranks, ranks + p};
}

std::vector<float> background_of(const float* background, const Format& format) {
  if (background == nullptr || format.channels <= 0) return {};
  return {background, background + format.channels};
}

Box box_of(const sortlast_box* box) {
  if (box == nullptr) return {{1, 1, 1}, {-1, -1, -1}};  // empty
  Box result;
  std::copy_n(box->low, 3, result.low.begin());
  std::copy_n(box->high, 3, result.high.begin());
  return result;
}

Viewpoint viewpoint_of(const sortlast_viewpoint& viewpoint) {
  Viewpoint result;
  std::copy_n(viewpoint.position, 3, result.position.begin());
  result.parallel = viewpoint.parallel;
  return result;
}

}  // namespace sortlast::capi

using namespace sortlast;
using namespace sortlast::capi;

sortlast_status sortlast_composite_serial(const sortlast_image* images, int32_t count,
                                          const sortlast_composition* composition, sortlast_frame** frame) {
  return make_handle(frame, [&](sortlast_frame& made) {
    if (images == nullptr || count < 1)
      throw ArgumentError("no images (" + std::to_string(count) + "); expected 1 or more");
    std::vector<ConstPixels> pixels;
    for (std::int32_t i = 0; i < count; ++i) {
      check_alike(images[0], images[i], i);
      pixels.push_back(pixels_of(images[i]));
    }
    const sortlast_composition how = read_composition(composition);
    const Format format = format_of(images[0].format);
    check_format(format, op_of(how.op));
    made.frame = composite_serial(pixels, {images[0].width, images[0].height}, format, op_of(how.op),
                                  ranks_of(how.order, count), background_of(how.background, format));
  });
}

sortlast_image sortlast_frame_image(const sortlast_frame* frame) {
  if (frame == nullptr || !frame->message.empty()) return {};
  const Frame& whole = frame->frame;
  const ConstPixels pixels = whole.pixels.view();
  return {pixels.colour, pixels.depth, whole.size.width, whole.size.height, format_number(whole.format),
          nullptr};
}

const char* sortlast_frame_message(const sortlast_frame* frame) { return message_of(frame); }

void sortlast_frame_free(sortlast_frame* frame) { delete frame; }

sortlast_status sortlast_visibility_create_from_boxes(const sortlast_box* boxes, int32_t count,
                                                      sortlast_viewpoint viewpoint,
                                                      sortlast_visibility** visibility) {
  return make_handle(visibility, [&](sortlast_visibility& made) {
    if (boxes == nullptr || count < 1)
      throw ArgumentError("no boxes (" + std::to_string(count) + "); expected one for each rank");
    std::vector<Box> all;
    for (std::int32_t rank = 0; rank < count; ++rank) all.push_back(box_of(boxes + rank));
    made.order = visibility_order(all, viewpoint_of(viewpoint));
  });
}

const int32_t* sortlast_visibility_order(const sortlast_visibility* visibility) {
  return visibility == nullptr || visibility->order.empty() ? nullptr : visibility->order.data();
}

const char* sortlast_visibility_message(const sortlast_visibility* visibility) {
  return message_of(visibility);
}

void sortlast_visibility_free(sortlast_visibility* visibility) { delete visibility; }
