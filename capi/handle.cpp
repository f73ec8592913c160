// Converts exceptions to status codes, and status codes to names.
#include "handle.hpp"

namespace sortlast::capi {
namespace {

// Throws std::bad_alloc if there is no memory for the text.
sortlast_status describe(std::string& message) {
  try {
    throw;
  } catch (const ArgumentError& error) {
    message = error.what();
    return SORTLAST_ERROR_ARGUMENT;
  } catch (const MismatchError& error) {
    message = error.what();
    return SORTLAST_ERROR_MISMATCH;
  } catch (const TimeoutError& error) {
    message = error.what();
    return SORTLAST_ERROR_TIMEOUT;
  } catch (const MpiError& error) {
    message = error.what();
    return SORTLAST_ERROR_MPI;
  } catch (const RemoteError& error) {
    message = error.what();
    return SORTLAST_ERROR_REMOTE;
  } catch (const UsageError& error) {
    message = error.what();
    return SORTLAST_ERROR_USAGE;
  } catch (const Interrupt& interrupt) {
    message = interrupt.what();
    return SORTLAST_ERROR_INTERRUPT;
  } catch (const std::bad_alloc&) {
    message = "out of memory";
    return SORTLAST_ERROR_MEMORY;
  } catch (const std::exception& error) {
    message = error.what();
    return SORTLAST_ERROR_INTERNAL;
  } catch (...) {
    message = "an exception of unknown type";
    return SORTLAST_ERROR_INTERNAL;
  }
}

}  // namespace

sortlast_status describe_exception(std::string& message) noexcept {
  try {
    return describe(message);
  } catch (...) {
    message.clear();
    return SORTLAST_ERROR_MEMORY;
  }
}

}  // namespace sortlast::capi

const char* sortlast_status_name(sortlast_status status) {
  switch (status) {
    case SORTLAST_OK:
      return "ok";
    case SORTLAST_ERROR_ARGUMENT:
      return "argument";
    case SORTLAST_ERROR_MISMATCH:
      return "mismatch";
    case SORTLAST_ERROR_TIMEOUT:
      return "timeout";
    case SORTLAST_ERROR_MPI:
      return "mpi";
    case SORTLAST_ERROR_MEMORY:
      return "memory";
    case SORTLAST_ERROR_INTERNAL:
      return "internal";
    case SORTLAST_ERROR_INTERRUPT:
      return "interrupt";
    case SORTLAST_ERROR_REMOTE:
      return "remote";
    case SORTLAST_ERROR_USAGE:
      return "usage";
  }
  return "unknown";
}
