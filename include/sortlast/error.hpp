// Exceptions of sortlast: what was wrong, where, and what to do.
#pragma once

#include <stdexcept>
#include <string>

#include "sortlast/export.hpp"

namespace sortlast {

// Base of every exception that sortlast throws. All are shown by the shared libraries, so that a program
// catches them whatever its C++ library compares types by.
class SORTLAST_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An argument is wrong on its own: the message says which, what it was and what was expected.
class SORTLAST_API ArgumentError : public Error {
 public:
  using Error::Error;
};

// Arguments differ between ranks. Thrown with the same message on every rank; nothing of the call is under
// way then.
class SORTLAST_API MismatchError : public Error {
 public:
  using Error::Error;
};

// A wait passed its limit. The message says who waits for whom at which stage.
class SORTLAST_API TimeoutError : public Error {
 public:
  using Error::Error;
};

// The call of another rank has failed on the way, or the rank has ended. The message says which, and why.
class SORTLAST_API RemoteError : public Error {
 public:
  using Error::Error;
};

// A call that cannot be made now: on a compositor that is closed or in use by another thread, or after
// MPI_Finalize. Nothing has happened.
class SORTLAST_API UsageError : public Error {
 public:
  using Error::Error;
};

// The MPI library reported an error; the message holds its text.
class SORTLAST_API MpiError : public Error {
 public:
  using Error::Error;
};

}  // namespace sortlast
