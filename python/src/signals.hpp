// Signals during long calls.
#pragma once

#include <nanobind/nanobind.h>

namespace sortlast::python {

// Ctrl-C ends a wait.
inline void see_signals() {
  const nanobind::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

}  // namespace sortlast::python
