// Diagnostics: errors with their codes, what is printed of them, and the last one.
#pragma once

#include <stdexcept>
#include <string>

#include "IceT.h"

namespace sortlast::icet {

// What a call of the interface ends with: a code of IceT.h and what was wrong.
class Failure : public std::runtime_error {
 public:
  Failure(IceTEnum code, const std::string& message) : std::runtime_error(message), code_(code) {}
  IceTEnum code() const { return code_; }

 private:
  IceTEnum code_;
};

// "0x6001".
std::string hexadecimal(IceTEnum value);

// Print a line as the current context wants it (without one: always), in the program's own window of messages
// too if VTK is there, and note the code for icetGetError().
void raise_error(IceTEnum code, const std::string& message);
void raise_warning(IceTEnum code, const std::string& message);
// Only printed.
void debug(const std::string& message);

// In a catch block: the exception as an error.
void raise_current_exception();

}  // namespace sortlast::icet
