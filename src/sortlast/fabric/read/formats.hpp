// The file formats of fabrics, and the lines that identify each of them.
#pragma once

#include <string>
#include <string_view>

#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

struct Format {
  std::string_view name;
  std::string_view looks;    // an example of its first lines; empty: not a fabric that can be read
  std::string_view instead;  // for a format without a reader: what to read instead
  bool (*has)(std::string_view line) = nullptr;  // whether a line, in lower case, occurs only in this format
  Topology (*read)(std::string_view text, const std::string& file) = nullptr;
};

// One line per port: `ibnetdiscover -p`.
Topology read_port_report(std::string_view text, const std::string& file);
// The output of iblinkinfo, with or without --line.
Topology read_link_info(std::string_view text, const std::string& file);
// ibdiagnet2.db_csv.
Topology read_db_csv(std::string_view text, const std::string& file);

}  // namespace sortlast::fabric
