// Progress: a callable of Python as the callback of a long call.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "errors.hpp"
#include "sortlast/progress.hpp"

namespace sortlast::python {

using ProgressCall = std::optional<nanobind::callable>;

// The call is made from the thread that called, with the lock held; what it raises, Ctrl-C too, ends the run.
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
