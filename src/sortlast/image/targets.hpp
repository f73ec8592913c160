// The kernels that blend() runs on this processor.
#pragma once

#include "sortlast/image/kernels/table.hpp"

namespace sortlast {

// The best table that this processor can run, or the one that use_target() chose.
const Kernels& active_kernels();

}  // namespace sortlast
