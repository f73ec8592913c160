// Progress: how a long call tells how far it is, and is told to stop.
#pragma once

#include <functional>

namespace sortlast {

// Called now and then with the part that is done, 0 to 1; false: stop, and throw Error("cancelled").
using Progress = std::function<bool(double)>;

}  // namespace sortlast
