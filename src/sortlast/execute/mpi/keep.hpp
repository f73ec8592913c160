// Memory that MPI may still read or write when a wait was given up.
#pragma once

#include <memory>

namespace sortlast {

// Never give `object` back. Requests that are under way on a communicator whose ranks did not all come can
// neither be completed nor safely cancelled, so what they point at must stay until the process ends.
void keep_for_ever(std::shared_ptr<const void> object);

}  // namespace sortlast
