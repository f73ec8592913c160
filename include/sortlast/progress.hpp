// Progress: how a long call reports its progress and can be cancelled.
#pragma once

#include <functional>

namespace sortlast {

// Called now and then with the finished part, 0 to 1. Returns false to cancel: the call throws
// Error("cancelled").
using Progress = std::function<bool(double)>;

}  // namespace sortlast
