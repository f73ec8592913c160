// Handles of the C interface, and the one place where exceptions become status codes.
#pragma once

#include <memory>
#include <new>
#include <string>
#include <utility>

#include "sortlast.h"

namespace sortlast::capi {

// Base of every handle: what was wrong with the last call, or "".
struct Handle {
  std::string message;
};

// The status for the exception that is being handled, with its text in `message`. To be called from a
// catch block.
sortlast_status describe_exception(std::string& message) noexcept;

// Run an action that may throw; its failure is told by `handle`.
template <typename Action>
sortlast_status guarded(Handle& handle, const Action& action) noexcept {
  try {
    handle.message.clear();
    action();
    return SORTLAST_OK;
  } catch (...) {
    return describe_exception(handle.message);
  }
}

// Make a handle, complete it with action(handle), and write it to *out, with its message if the action
// threw. The action runs even if `out` is null, because other ranks may wait for it.
template <typename Made, typename Action>
sortlast_status make_handle(Made** out, const Action& action) noexcept {
  if (out != nullptr) *out = nullptr;
  std::unique_ptr<Made> handle(new (std::nothrow) Made);
  if (!handle) return SORTLAST_ERROR_MEMORY;
  const sortlast_status status = guarded(*handle, [&] { action(*handle); });
  if (out == nullptr) return status == SORTLAST_OK ? SORTLAST_ERROR_ARGUMENT : status;
  *out = handle.release();
  return status;
}

inline const char* message_of(const Handle* handle) {
  return handle == nullptr ? "" : handle->message.c_str();
}

}  // namespace sortlast::capi
