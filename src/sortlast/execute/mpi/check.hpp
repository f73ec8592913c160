// Checks of what a compositor is asked for, before any pixel moves.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "sortlast/compositor.hpp"
#include "sortlast/error.hpp"

namespace sortlast {

std::string text(Size size);  // "640x480"
std::string text(const std::vector<float>& values);

// Throw ArgumentError for p ranks. The algorithm's parameters are checked when its schedule is made.
void check_options(const Options& options, int p);
void check_frame(const ImageView& image, const Composition& composition, int p);

// The limit [s] to work with, even if what was passed is wrong: that becomes every rank's error once there is
// a communicator to agree over.
inline double usable(double timeout) { return timeout > 0 ? timeout : Options{}.timeout; }

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

}  // namespace sortlast
