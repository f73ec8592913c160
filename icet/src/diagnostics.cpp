#include "diagnostics.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <new>
#include <utility>

#include "context.hpp"
#include "sortlast/error.hpp"

namespace sortlast::icet {
namespace {

// The most severe error not yet queried: errors before warnings, and the first among equals.
struct Noted {
  IceTEnum code = ICET_NO_ERROR;
  IceTBitField level = 0;
};
Noted noted;

// Show a line in the message window of ParaView and other VTK programs. False if VTK is not loaded, or its
// C++ functions have other mangled names.
bool show_in_vtk(IceTBitField level, const std::string& line) {
  const char* function = level == ICET_DIAG_ERRORS     ? "_Z31vtkOutputWindowDisplayErrorTextPKc"
                         : level == ICET_DIAG_WARNINGS ? "_Z33vtkOutputWindowDisplayWarningTextPKc"
                                                       : "_Z31vtkOutputWindowDisplayDebugTextPKc";
  // result of dlsym()
  const auto show = reinterpret_cast<void (*)(const char*)>(dlsym(RTLD_DEFAULT, function));
  if (show == nullptr) return false;
  show((line + "\n").c_str());
  return true;
}

void print(IceTBitField level, const char* word, const std::string& message) {
  const IceTContextStruct* context = current_if_any();
  const IceTBitField wanted =
      context ? context->settings.diagnostics : ICET_DIAG_ALL_NODES | ICET_DIAG_ERRORS;
  if ((wanted & level) != level) return;
  const bool all = (wanted & ICET_DIAG_ALL_NODES) != 0;
  if (!all && context && context->rank != 0) return;
  const std::string who = context && all ? "ICET," + std::to_string(context->rank) : "ICET";
  const std::string line = who + ":" + word + ": " + message;
  if (show_in_vtk(level, line)) return;
  std::fprintf(stderr, "%s\n", line.c_str());
  std::fflush(stderr);
}

void note(IceTEnum code, IceTBitField level) {
  if (noted.code == ICET_NO_ERROR || level < noted.level) noted = {code, level};
}

}  // namespace

std::string hexadecimal(IceTEnum value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%X", value);
  return text;
}

void raise_error(IceTEnum code, const std::string& message) {
  note(code, ICET_DIAG_ERRORS);
  print(ICET_DIAG_ERRORS, "ERROR", message);
}

void raise_warning(IceTEnum code, const std::string& message) {
  note(code, ICET_DIAG_WARNINGS);
  print(ICET_DIAG_WARNINGS, "WARNING", message);
}

void debug(const std::string& message) { print(ICET_DIAG_DEBUG, "DEBUG", message); }

void raise_current_exception() {
  try {
    throw;
  } catch (const Failure& failure) {
    raise_error(failure.code(), failure.what());
  } catch (const MismatchError& error) {
    raise_error(ICET_INVALID_VALUE, error.what());
  } catch (const ArgumentError& error) {
    raise_error(ICET_INVALID_OPERATION, error.what());
  } catch (const UsageError& error) {
    raise_error(ICET_INVALID_OPERATION, error.what());
  } catch (const std::bad_alloc&) {
    raise_error(ICET_OUT_OF_MEMORY, "there is no memory left for what was asked");
  } catch (const std::exception& error) {
    raise_error(ICET_SANITY_CHECK_FAIL, error.what());
  } catch (...) {
    raise_error(ICET_SANITY_CHECK_FAIL, "the draw callback threw something that is no std::exception");
  }
}

}  // namespace sortlast::icet

using namespace sortlast::icet;

IceTEnum icetGetError() { return std::exchange(noted, {}).code; }

void icetDiagnostics(IceTBitField mask) {
  entry([&](IceTContextStruct& context) { context.settings.diagnostics = mask; });
}
