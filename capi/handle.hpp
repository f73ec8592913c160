// Handles of the C interface, and the one place where exceptions become status codes.
#pragma once

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "sortlast.h"

namespace sortlast::capi {

// Base of every handle: what was wrong with the last call, or "".
struct Handle {
  std::string message;
};

// A caller's interrupt callback ended the wait.
class Interrupt : public std::runtime_error {
 public:
  explicit Interrupt(int code)
      : std::runtime_error("the interrupt callback ended the call: it returned " + std::to_string(code)) {}
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

// What is wrong with the arguments that an action reads, by trying it; "" if nothing is. Whatever it throws,
// for other ranks may wait and have to hear of it.
template <typename Action>
std::string problem_in(const Action& action) noexcept {
  std::string problem;
  try {
    action();
  } catch (...) {
    describe_exception(problem);
    if (problem.empty()) problem = "out of memory";  // short enough to need none
  }
  return problem;
}

// Make a handle, complete it with action(handle), and write it to *out, with its message if the action
// threw. The action runs even if `out` is null or there is no memory for the handle, because other ranks may
// wait for it; action(handle, problem), if it takes that, hears of it.
template <typename Made, typename Action>
sortlast_status make_handle(Made** out, const Action& action) noexcept {
  if (out != nullptr) *out = nullptr;
  std::unique_ptr<Made> handle(new (std::nothrow) Made);
  Made spare;
  Made& made = handle ? *handle : spare;
  const char* const problem = !handle          ? "out of memory"
                              : out == nullptr ? "the place for the result is NULL"
                                               : "";
  const sortlast_status status = guarded(made, [&] {
    if constexpr (std::is_invocable_v<Action, Made&, const char*>) {
      action(made, problem);
    } else {
      action(made);
    }
  });
  if (!handle) return SORTLAST_ERROR_MEMORY;
  if (out == nullptr) return status == SORTLAST_OK ? SORTLAST_ERROR_ARGUMENT : status;
  *out = handle.release();
  return status;
}

inline const char* message_of(const Handle* handle) {
  return handle == nullptr ? "" : handle->message.c_str();
}

}  // namespace sortlast::capi
