// Check: what one rank looks at by itself before any pixel moves: whether what it was asked for is right, and
// what its image holds.
#pragma once

#include <atomic>
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

// The limit [s] to work with, even if what was passed is wrong: that becomes every rank's error once there is
// a communicator to agree over.
inline double positive_timeout(double timeout) { return timeout > 0 ? timeout : Options{}.timeout; }

// An order of p ranks that is the identity is none: both mean the same.
std::vector<std::int32_t> normalised(const std::vector<std::int32_t>& order, int p);

// What is wrong with an action's arguments, by trying it; empty if nothing is.
template <typename Action>
std::string problem_of(Action action) {
  try {
    action();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "";
}

// Marks a compositor as busy with a call. A second call, of another thread or of the interrupt callback, is a
// UsageError.
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

// What the choices of a frame depend on; the rest stays as it is.
struct Survey {
  std::optional<Rectangle> bounds;  // outside which the image is empty, if worth knowing
  std::uint64_t emptiness = 0;      // log2 of all pixels to active ones, rounded down so that all ranks can
                                    // agree on it; of all ranks: of the one with most
};

// An image with straight alpha, multiplied by it in `memory`; its depth stays where it is. Throws
// std::bad_alloc, Error.
ImageView premultiplied(const ImageView& straight, ReusedMemory& memory, Node& node);

// What is wanted of a survey.
struct Wanted {
  bool sparse = true;      // empty pixels are left out where they are found
  bool emptiness = false;  // else 0
};

// What this rank's image holds. Bounds that the caller gave are believed. Without them a sample supplies the
// rest. Messages are searched for active pixels as they are made. Images that mates read in place are not
// searched at all, since blending reads each pixel once anyway; to test each block before it is blended took
// 10 to 15 % more time. Only an image of few active pixels that mates have to copy is searched for bounds,
// which spares them the copies of the others.
Survey survey_of(const ImageView& image, const Wanted& wanted, const Node& node);

}  // namespace sortlast
