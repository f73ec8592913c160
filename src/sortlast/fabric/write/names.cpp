#include "sortlast/fabric/write/names.hpp"

#include <algorithm>

#include "sortlast/error.hpp"

namespace sortlast::fabric {

bool is_plain_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

std::string machine_of(const Host& host) {
  std::string machine = host.name.substr(0, host.name.find(' '));
  if (!is_plain_name(machine)) {
    throw ArgumentError("host '" + host.name +
                        "' does not begin with the name of a machine (letters, digits, "
                        "'.', '_', '-' up to a blank); launchers and schedulers need one");
  }
  return machine;
}

}  // namespace sortlast::fabric
