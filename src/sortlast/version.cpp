// The version of the library.
#include "sortlast/version.hpp"

namespace sortlast {

const char* version() noexcept { return SORTLAST_VERSION; }

}  // namespace sortlast
