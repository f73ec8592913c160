// Check: the checks that one rank makes by itself before any pixel moves: are its arguments valid, and how
// empty is its image?
#pragma once

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sortlast/compositor.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/node/node.hpp"
#include "sortlast/execute/node/reused_memory.hpp"

namespace sortlast {

std::string text(double value);
std::string text(Size size);  // "640x480"
std::string text(const std::vector<float>& values);

// Throw ArgumentError for p ranks. The algorithm's parameters are checked when its schedule is made.
void check_options(const Options& options, int p);
void check_frame(const ImageView& image, const Composition& composition, int p);

// The timeout [s] to use, even if the argument is invalid: that becomes every rank's error once there is a
// communicator to agree over.
inline double positive_timeout(double timeout) { return timeout > 0 ? timeout : Options{}.timeout; }

// An order of p ranks, or an empty one if it is the identity; both mean the same.
std::vector<std::int32_t> normalised(const std::vector<std::int32_t>& order, int p);

// Try an action. Returns the problem with its arguments; empty if there is none.
template <typename Action>
std::string problem_of(Action action) {
  try {
    action();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "";
}

// Throws ArgumentError unless an image, if there is one, and memory for its result are in memory of the host.
void check_on_host(MemoryKind image, const PixelBuffer& out);

// Marks a compositor as busy with a call. A second call, from another thread or from the interrupt callback,
// throws UsageError.
class Turn {
 public:
  Turn(std::atomic<bool>& busy, const std::string& call);
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { busy_.store(false); }

 private:
  std::atomic<bool>& busy_;
};

// ---- The image ------------------------------------------------------------------------------------

// The properties of an image that the choices for a frame depend on.
struct Survey {
  std::optional<Rectangle> bounds;  // the image is empty outside; none if not worth knowing
  // emptiness_steps log2(all pixels / active pixels), rounded down; of all ranks: the minimum.
  static constexpr int emptiness_steps = 4;
  std::uint64_t emptiness = 0;

  // Maximum share of active pixels of any rank's image, and the same as a power of 2, which changes seldom.
  double most_active() const { return std::exp2(-static_cast<double>(emptiness) / emptiness_steps); }
  double roughly_active() const { return std::ldexp(1.0, -static_cast<int>(emptiness / emptiness_steps)); }
};

// An image with straight alpha, multiplied by it in `memory`; its depth is not copied. Throws std::bad_alloc,
// Error.
ImageView premultiplied(const ImageView& straight, ReusedMemory& memory, Node& node);

// The results that a survey should have.
struct Wanted {
  bool sparse = true;      // empty pixels are left out where found
  bool emptiness = false;  // otherwise 0
};

// Survey this rank's image. Bounds given by the caller are trusted; otherwise a sample provides the
// information. Messages are searched for active pixels when they are made. Images that mates read in place
// are not searched at all, because blending reads each pixel once anyway; testing each block before blending
// it took 10 to 15 % more time. Only an image with few active pixels that mates have to copy is searched for
// bounds, which saves them from copying the other pixels.
Survey survey_of(const ImageView& image, const Wanted& wanted, const Node& node);

}  // namespace sortlast
