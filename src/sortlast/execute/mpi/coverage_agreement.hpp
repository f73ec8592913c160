// Coverage agreement: the check of arguments and the sum of all ranks' coverage in one reduction.
#pragma once

#include <cstdint>
#include <string>

#include "sortlast/execute/mpi/agreement.hpp"
#include "sortlast/execute/plan/choice.hpp"

namespace sortlast {

// As compare_by_reduction(), in the same reduction as the sum of all ranks' coverage; `least` and
// `coverage` go in as this rank's and come out as those of all. All ranks have to compare in this way,
// whatever their call.
Compare compare_with_coverage(const Communicator& comm, const Alarm& alarm, std::string call,
                              std::uint64_t& least, Coverage& coverage);

}  // namespace sortlast
