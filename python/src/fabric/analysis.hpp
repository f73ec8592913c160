// What the bindings of contention and of orders share: options of an analysis, and its result with its input.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <utility>

#include "errors.hpp"
#include "sortlast/fabric/contention.hpp"

namespace sortlast::python {

// Contention with what it was found for, so that it can be asked for more.
struct Analysis {
  fabric::Routes routes;
  std::shared_ptr<const fabric::Pattern> pattern;
  fabric::Placement placement;
  fabric::Contention result;
};

using ProgressCall = std::optional<nanobind::callable>;

// The call is made from the thread that called, with the lock held. What it raises, Ctrl-C too, ends the
// analysis.
inline fabric::AnalysisOptions analysis_options(std::int32_t threads, const ProgressCall& progress) {
  fabric::AnalysisOptions options{.threads = threads};
  options.progress = [progress](double part) {
    const nanobind::gil_scoped_acquire acquire;
    see_signals();
    if (!progress) return true;
    const nanobind::object answer = (*progress)(part);
    return answer.is_none() || nanobind::cast<bool>(answer);
  };
  return options;
}

}  // namespace sortlast::python
