// Check: the arguments of a compositor's calls, and the contents of a rank's image.
#include "sortlast/execute/mpi/check.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/failure.hpp"
#include "sortlast/execute/node/node_image.hpp"
#include "sortlast/image/active.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/schedule/algorithm.hpp"

namespace sortlast {

// ---- Arguments ------------------------------------------------------------------------------------

namespace {

void check_bounds(const Rectangle& bounds, Size size) {
  const bool inside = bounds.x0 >= 0 && bounds.y0 >= 0 && bounds.x1 <= size.width && bounds.y1 <= size.height;
  if (inside && bounds.x0 <= bounds.x1 && bounds.y0 <= bounds.y1) return;
  throw ArgumentError("bounds are x " + std::to_string(bounds.x0) + " to " + std::to_string(bounds.x1) +
                      ", y " + std::to_string(bounds.y0) + " to " + std::to_string(bounds.y1) +
                      "; expected a rectangle within the image of " + text(size) + " pixels");
}

}  // namespace

std::string text(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

std::string text(Size size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

std::string text(const std::vector<float>& values) {
  if (values.empty()) return "";  // the usual case; a stream takes as long as the rest of a small frame
  std::ostringstream out;
  out.precision(9);
  for (std::size_t i = 0; i < values.size(); ++i) out << (i == 0 ? "" : ", ") << values[i];
  return out.str();
}

void check_options(const Options& options, int p) {
  if (!(options.timeout > 0))
    throw ArgumentError("timeout is " + text(options.timeout) + " s; expected more than 0");
  if (options.node_ranks < 0)
    throw ArgumentError("node_ranks is " + std::to_string(options.node_ranks) +
                        "; expected 0 (those that share a machine), 1 (each by itself) or more");
  if (options.threads < 0)
    throw ArgumentError("threads are " + std::to_string(options.threads) +
                        "; expected 0 (as many as cores are left over) or more");
  if (options.deadline && !(*options.deadline >= 0 && *options.deadline <= options.timeout))
    throw ArgumentError("deadline is " + text(*options.deadline) + " s; expected 0 to timeout, " +
                        text(options.timeout) + " s");
  check_permutation(options.ring, p, "ring");
  if (options.algorithm != "auto") parse_algorithm(options.algorithm);
}

void check_frame(const ImageView& image, const Composition& composition, int p) {
  check_format(image.format, composition.op);
  check_size(image.size, image.format);
  if (image.format.depth && image.pixels.colour != nullptr && image.pixels.depth == nullptr) {
    throw ArgumentError("the image has no depth; expected one, as its format says");
  }
  if (!composition.premultiplied && image.format.channels != 4)
    throw ArgumentError("the image is " + format_name(image.format) +
                        " and has no alpha to be multiplied by; expected RGBA, or premultiplied = true");
  check_permutation(composition.order, p, "order");
  if (composition.root < -1 || composition.root >= p)
    throw ArgumentError("root is " + std::to_string(composition.root) + "; expected a rank, 0.." +
                        std::to_string(p - 1) + ", or -1");
  if (composition.deadline && !(*composition.deadline >= 0))
    throw ArgumentError("deadline is " + text(*composition.deadline) + " s; expected 0 or more");
  if (image.bounds) check_bounds(*image.bounds, image.size);
  const auto channels = static_cast<std::size_t>(image.format.channels);
  if (!composition.background.empty() && composition.background.size() != channels) {
    throw ArgumentError("background has " + std::to_string(composition.background.size()) +
                        " values; expected " + std::to_string(channels) + ", one a channel");
  }
  for (const float value : composition.background) {
    if (std::isnan(value)) throw ArgumentError("background has a value that is not a number");
  }
}

void check_on_host(MemoryKind image, const PixelBuffer& out) {
  if (image == MemoryKind::host && out.kind() == MemoryKind::host) return;
  throw ArgumentError(std::string(image == MemoryKind::host ? "out" : "the image") +
                      " is in the memory of a GPU; expected memory of the host: only one image per rank, "
                      "without further channels, is composited on a GPU");
}

Turn::Turn(std::atomic<bool>& busy, const std::string& call) : busy_(busy) {
  if (busy_.exchange(true)) {
    throw UsageError(call +
                     "() was called while another call of this compositor is under way, in another thread or "
                     "from its interrupt callback; expected one call at a time");
  }
}

std::vector<std::int32_t> normalised(const std::vector<std::int32_t>& order, int p) {
  if (order.size() != static_cast<std::size_t>(p)) return order;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != static_cast<std::int32_t>(i)) return order;
  }
  return {};
}

// ---- The image ------------------------------------------------------------------------------------

namespace {

constexpr double most_bounded = 0.9;  // maximum share of the image inside bounds worth a search
// Maximum share of active pixels in images worth a search for bounds. It reads the image once, and saves
// mates from copying empty pixels.
constexpr double most_active_searched = 0.3;
constexpr double sampling_error =
    0.95;  // so that images with 1/2, 1/4, ... of active pixels are not above it
constexpr double most_emptiness =
    6 * Survey::emptiness_steps;  // images with fewer active pixels are treated the same

std::int64_t pixels_in(const Rectangle& box) { return (box.x1 - box.x0) * (box.y1 - box.y0); }

}  // namespace

ImageView premultiplied(const ImageView& straight, ReusedMemory& memory, Node& node) {
  if (straight.is_none()) return straight;
  const Format colours{straight.format.scalar, straight.format.channels};
  const std::int64_t n = straight.size.pixels();
  std::byte* const to = memory.take(static_cast<std::size_t>(n) * colours.colour_bytes(), node).get();
  ImageView image = straight;
  image.pixels.colour = to;
  premultiply(colours, {straight.pixels.colour, nullptr}, {to, nullptr}, n);
  return image;
}

namespace {

// The bounds of the active pixels, if they exclude enough.
std::optional<Rectangle> searched_bounds(const ImageView& image) {
  const Rectangle box = active_box(image.format, image.pixels, image.size.width, image.size.height);
  if (static_cast<double>(pixels_in(box)) > most_bounded * static_cast<double>(image.size.pixels()))
    return std::nullopt;
  return box;
}

}  // namespace

Survey survey_of(const ImageView& image, const Wanted& wanted, const Node& node) {
  Survey survey;
  const std::int64_t n = image.size.pixels();
  if (n <= most_counted) survey.bounds = image.bounds;
  const bool none = image.pixels.colour == nullptr || n == 0;
  const Rectangle whole{0, 0, image.size.width, image.size.height};
  Sample sample{none ? 0.0 : 1.0, none ? Rectangle{} : whole};

  if (!none && wanted.sparse && image.bounds) {
    // Trust the caller's bounds.
    sample = {static_cast<double>(pixels_in(*image.bounds)) / static_cast<double>(n), *image.bounds};
  } else if (!none && wanted.sparse) {
    // Take a sample, and search only if mates would copy empty pixels.
    const bool copied = n <= most_counted && !node.alone() && !in_shared_memory(image, node);
    if (copied || wanted.emptiness)
      sample = sample_rows(image.format, image.pixels, image.size.width, image.size.height);
    if (copied && sample.active <= most_active_searched) {
      survey.bounds = searched_bounds(image);
      if (survey.bounds) sample.rows = *survey.bounds;
    }
  }

  if (wanted.emptiness)
    survey.emptiness = static_cast<std::uint64_t>(std::clamp(
        -Survey::emptiness_steps * std::log2(sampling_error * sample.active), 0.0, most_emptiness));
  return survey;
}

}  // namespace sortlast
