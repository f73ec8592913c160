// The algorithms that a program registers: one list for all extension modules.
#pragma once

#include <nanobind/nanobind.h>

#include "sortlast/schedule/algorithm.hpp"

namespace sortlast::python {

constexpr const char* registered_name = "_registered_algorithms";

// In _core, which has the list.
inline void offer_registered(nanobind::module_& core) {
  core.attr(registered_name) = nanobind::capsule(&registered_algorithms());
}

// In every other module that makes schedules by name.
inline void use_registered() {
  const auto list =
      nanobind::borrow<nanobind::capsule>(nanobind::module_::import_("sortlast._core").attr(registered_name));
  share_registered(*static_cast<RegisteredAlgorithms*>(list.data()));
}

}  // namespace sortlast::python
