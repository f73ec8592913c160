// What C callers pass as options of a compositor or of a measurement, as the library takes it.
#pragma once

#include "sortlast/compositor.hpp"
#include "sortlast/tune.hpp"
#include "sortlast_mpi.h"

namespace sortlast::capi {

// Defaults for null. All throw ArgumentError for a size, number or array that is wrong; `comm` tells the
// length of the ring.
Options options_of(const sortlast_options* options, MPI_Comm comm);
TuneOptions tune_options_of(const sortlast_tune_options* options);

Machine machine_of(const sortlast_machine& machine);
// Nothing if `to` is null; `to` holds its size.
void write_machine(const Machine& machine, sortlast_machine* to);

}  // namespace sortlast::capi
