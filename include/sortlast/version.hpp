// Version: of the headers that a program was compiled with, and of the library that it runs with.
#pragma once

#include "sortlast/export.hpp"

#define SORTLAST_VERSION_MAJOR 0
#define SORTLAST_VERSION_MINOR 1
#define SORTLAST_VERSION_PATCH 0
#define SORTLAST_VERSION "0.1.0"

namespace sortlast {

// SORTLAST_VERSION of the library, which may be newer than the headers.
SORTLAST_API const char* version() noexcept;

}  // namespace sortlast
