// Exceptions of sortlast. Each message states the problem, its place and the remedy.
#pragma once

#include <stdexcept>
#include <string>

#include "sortlast/export.hpp"

namespace sortlast {

// Base of every exception that sortlast throws. All of them are exported by the shared libraries, so that
// programs can catch them however their C++ library compares types.
class SORTLAST_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An argument is invalid by itself: the message gives its name, its value and the expected values.
class SORTLAST_API ArgumentError : public Error {
 public:
  using Error::Error;
};

// Arguments differ between ranks. Thrown with the same message on every rank; the call has started nothing.
class SORTLAST_API MismatchError : public Error {
 public:
  using Error::Error;
};

// A wait exceeded its limit. The message names the waiting rank, the rank waited for and the stage.
class SORTLAST_API TimeoutError : public Error {
 public:
  using Error::Error;
};

// A call failed on another rank, or that rank has ended. The message names the rank and the cause.
class SORTLAST_API RemoteError : public Error {
 public:
  using Error::Error;
};

// A call that is not allowed now: on a compositor that is closed or in use by another thread, or after
// MPI_Finalize. It had no effect.
class SORTLAST_API UsageError : public Error {
 public:
  using Error::Error;
};

// The MPI library reported an error; the message contains its text.
class SORTLAST_API MpiError : public Error {
 public:
  using Error::Error;
};

}  // namespace sortlast
