// Handles of the C interface, the only place where exceptions become status codes; and caller structures of
// any version.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "sortlast.h"
#include "sortlast/error.hpp"

namespace sortlast::capi {

// Base of every handle: the error message of the last call, or "".
struct Handle {
  std::string message;
};

// Thrown when a caller's interrupt callback ends a wait.
class Interrupt : public std::runtime_error {
 public:
  explicit Interrupt(int code)
      : std::runtime_error("the interrupt callback ended the call: it returned " + std::to_string(code)) {}
};

// The status for the exception that is being handled; its text is stored in `message`. Must be called from a
// catch block.
sortlast_status describe_exception(std::string& message) noexcept;

// Run an action that may throw. A failure is recorded in `handle`.
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

// The error in the arguments that an action reads, found by trying it; "" if there is none. Catches every
// exception, because other ranks may be waiting and must receive the error.
template <typename Action>
std::string problem_in(const Action& action) noexcept {
  std::string problem;
  try {
    action();
  } catch (...) {
    describe_exception(problem);
    if (problem.empty()) problem = "out of memory";  // short enough to need no allocation
  }
  return problem;
}

// Make a handle, complete it with action(handle), and write it to *out, with its message if the action threw.
// The action runs even if `out` is null or there is no memory for the handle, because other ranks may wait
// for it; action(handle, problem), if supported, receives this error.
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

// ---- Structures that begin with their size --------------------------------------------------------

// No structure grows beyond this size, so a larger size is invalid.
constexpr std::size_t most_struct_bytes = 4096;

// The size of a caller's structure, after checks. ArgumentError if it is below the size of the first version,
// or invalid. `name` and `init` are used in the message.
template <typename Struct>
std::size_t size_of_struct(const Struct* from, std::size_t first, const char* name, const char* init) {
  const std::size_t size = from->size;
  if (size >= first && size <= most_struct_bytes) return size;
  throw ArgumentError(std::string("size of ") + name + " is " + std::to_string(size) + "; expected sizeof(" +
                      name + "), " + std::to_string(sizeof(Struct)) + " in this version; begin with " + init);
}

// The caller's structure, with defaults for the members that its version lacks; all defaults for null.
// `first`: size of the first version in bytes. Throws ArgumentError: an invalid size, or nonzero members that
// this version does not know.
template <typename Struct>
Struct read_struct(const Struct* from, const Struct& defaults, std::size_t first, const char* name,
                   const char* init) {
  if (from == nullptr) return defaults;
  const std::size_t size = size_of_struct(from, first, name, init);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(from);
  if (std::any_of(bytes + std::min(sizeof(Struct), size), bytes + size,
                  [](unsigned char b) { return b != 0; }))
    throw ArgumentError(
        std::string("size of ") + name + " is " + std::to_string(size) + ", but this library knows " +
        std::to_string(sizeof(Struct)) +
        " bytes of it, and the others are not zero; use the library that the header belongs to");
  Struct result = defaults;
  std::memcpy(&result, from, std::min(sizeof(Struct), size));
  result.size = sizeof(Struct);
  return result;
}

// Write a result to a caller's structure, which may lack some members in its version. Members that this
// version does not know become zero. Throws ArgumentError: an invalid size.
template <typename Struct>
void write_struct(Struct* to, const Struct& from, std::size_t first, const char* name, const char* init) {
  const std::size_t size = size_of_struct(to, first, name, init);
  const std::size_t known = std::min(sizeof(Struct), size);
  auto* const bytes = reinterpret_cast<unsigned char*>(to);
  std::memcpy(bytes, &from, known);
  std::fill(bytes + known, bytes + size, static_cast<unsigned char>(0));
  to->size = size;
}

}  // namespace sortlast::capi
