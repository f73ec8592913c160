// Checks of what a compositor is asked for.
#include "sortlast/execute/mpi/check.hpp"

#include <cmath>
#include <sstream>

#include "sortlast/error.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/schedule/algorithm.hpp"

namespace sortlast {
namespace {

constexpr std::int64_t least_chunk_bytes = 1 << 12;
constexpr std::int64_t most_chunk_bytes = 1 << 30;

std::string text(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

void check_bounds(const Rectangle& bounds, Size size) {
  const bool inside = bounds.x0 >= 0 && bounds.y0 >= 0 && bounds.x1 <= size.width && bounds.y1 <= size.height;
  if (inside && bounds.x0 <= bounds.x1 && bounds.y0 <= bounds.y1) return;
  throw ArgumentError("bounds are x " + std::to_string(bounds.x0) + " to " + std::to_string(bounds.x1) +
                      ", y " + std::to_string(bounds.y0) + " to " + std::to_string(bounds.y1) +
                      "; expected a rectangle within the image of " + text(size) + " pixels");
}

}  // namespace

std::string text(Size size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

std::string text(const std::vector<float>& values) {
  std::ostringstream out;
  out.precision(9);
  for (std::size_t i = 0; i < values.size(); ++i) out << (i == 0 ? "" : ", ") << values[i];
  return out.str();
}

void check_options(const Options& options, int p) {
  if (!(options.timeout > 0))
    throw ArgumentError("timeout is " + text(options.timeout) + " s; expected more than 0");
  if (options.node_ranks < 0)
    throw ArgumentError("node ranks are " + std::to_string(options.node_ranks) +
                        "; expected 0 (those that share a machine), 1 (each by itself) or more");
  if (options.threads < 0)
    throw ArgumentError("threads are " + std::to_string(options.threads) +
                        "; expected 0 (as many as cores are left over) or more");
  if (options.chunk_bytes < least_chunk_bytes || options.chunk_bytes > most_chunk_bytes)
    throw ArgumentError("chunks of " + std::to_string(options.chunk_bytes) + " bytes; expected " +
                        std::to_string(least_chunk_bytes) + " to " + std::to_string(most_chunk_bytes));
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

}  // namespace sortlast
