// The formats in which people have fabrics, and by which lines each is recognised.
#pragma once

#include <string>
#include <string_view>

#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

struct Format {
  std::string_view name;
  std::string_view looks;    // one of its first lines, as an example; empty: it is not a fabric that we read
  std::string_view instead;  // of a format without a reader here: what to read instead
  bool (*has)(std::string_view line) = nullptr;  // a line, in lower case, that only this format has
  Topology (*read)(std::string_view text, const std::string& file) = nullptr;
};

// A line for each port: `ibnetdiscover -p`.
Topology read_port_report(std::string_view text, const std::string& file);

}  // namespace sortlast::fabric
