// Progress: a Python callable as the callback of a long call.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "errors.hpp"
#include "sortlast/progress.hpp"

namespace sortlast::python {

using ProgressCall = std::optional<nanobind::callable>;

// The callback runs in the calling thread with the lock held. Any exception in it, including Ctrl-C, ends the
// run.
inline Progress progress_of(const ProgressCall& progress) {
  return [progress](double part) {
    const nanobind::gil_scoped_acquire acquire;
    see_signals();
    if (!progress) return true;
    const nanobind::object answer = (*progress)(part);
    return answer.is_none() || nanobind::cast<bool>(answer);
  };
}

}  // namespace sortlast::python
