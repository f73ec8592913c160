// Gauge: what this core takes to blend and to copy a byte.
#pragma once

#include <vector>

#include "sortlast/tune/cold_buffers.hpp"

namespace sortlast {

// See Machine.
struct CoreFigures {
  double gamma_read = 0;   // [s/byte]
  double gamma_write = 0;  // [s/byte]
  double copy = 0;         // [s/byte]
};

// Measure for about `seconds`, by pieces of `memory`, in processor time: what other processes do on this core
// in the meantime does not count.
CoreFigures measure_core(ColdBuffers& memory, double seconds);

// Processor time that this thread has taken [s].
double thread_seconds();

// The value below which `share` (0 to 1) of the values lie; `values` must not be empty.
double quantile(std::vector<double> values, double share);

}  // namespace sortlast
