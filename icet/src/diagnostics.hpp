// Diagnostics: errors with their codes, their output, and the last error.
#pragma once

#include <stdexcept>
#include <string>

#include "IceT.h"

namespace sortlast::icet {

// The failure of a call of the interface: a code of IceT.h and a description.
class Failure : public std::runtime_error {
 public:
  Failure(IceTEnum code, const std::string& message) : std::runtime_error(message), code_(code) {}
  IceTEnum code() const { return code_; }

 private:
  IceTEnum code_;
};

// "0x6001".
std::string hexadecimal(IceTEnum value);

// Print a line as configured in the current context (always, if there is none), also in the program's message
// window if VTK is loaded, and record the code for icetGetError().
void raise_error(IceTEnum code, const std::string& message);
void raise_warning(IceTEnum code, const std::string& message);
// Print without recording a code.
void debug(const std::string& message);

// Report the current exception as an error. Must be called from a catch block.
void raise_current_exception();

}  // namespace sortlast::icet
