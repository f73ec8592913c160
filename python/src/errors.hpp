// Errors: exceptions of the C++ library become the classes of sortlast._errors, and Ctrl-C ends a wait.
#pragma once

#include <nanobind/nanobind.h>

#include <cstring>

#include "sortlast/error.hpp"

namespace sortlast::python {

inline void raise(const char* name, const char* what) {
  const nanobind::object type = nanobind::module_::import_("sortlast._errors").attr(name);
  // A message may have been truncated in the middle of a character.
  const auto text =
      nanobind::steal(PyUnicode_DecodeUTF8(what, static_cast<Py_ssize_t>(std::strlen(what)), "replace"));
  PyErr_SetObject(type.ptr(), text.ptr());
}

inline void register_errors() {
  nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const ArgumentError& error) {
      raise("ArgumentError", error.what());
    } catch (const MismatchError& error) {
      raise("MismatchError", error.what());
    } catch (const TimeoutError& error) {
      raise("TimeoutError", error.what());
    } catch (const RemoteError& error) {
      raise("RemoteError", error.what());
    } catch (const UsageError& error) {
      raise("UsageError", error.what());
    } catch (const MpiError& error) {
      raise("MpiError", error.what());
    } catch (const Error& error) {
      raise("Error", error.what());
    }
  });
}

// Ctrl-C ends a wait.
inline void see_signals() {
  const nanobind::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

}  // namespace sortlast::python
